"""Gives hostile inputs to everything that reads what strangers send, and says how it went.

    python benchmarks/hostile.py [--inputs 1000] [--minutes 10] [--seed 0] [--kinds image http ...]
                                 [--keep tests/hostile/cases] [--total campaign.json]

Inputs of each kind are made from sound ones (`hostile_inputs`); each has a number, and `--seed` is
the first. They are tried in a process of their own, with a limit of memory; one that takes longer
than `SECONDS` is ended. An input is read, or refused with one line; anything else has failed, and
is kept as a file, which `tests/hostile` tries again. `--inputs` are of each kind, `--minutes` of
all kinds together. With `--total` a campaign is run in slices: the file has what was tried so far,
each kind goes on with the number after its last, and the table is of all slices. Exits with 1 if
anything failed.
"""

import argparse
import json
import multiprocessing
import os
import resource
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from hostile_inputs import MAKERS, attempt, hostile
from san.files import write_file

SECONDS = 60.0
"""For one input, and for what is imported with the first, on a busy machine."""
MEMORY = 3 << 30
"""Bytes of address space beyond what a process begins with: libraries reserve much of it."""
MAX_MEMORY = 1000
"""MB that an input may take beyond that: what docs/security.md promises."""


@dataclass
class Tally:
    """How the inputs of one kind went."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0  # seconds
    largest: int = 0  # MB of a process beyond those that it began with
    printed: int = 0  # bytes that libraries wrote to standard error
    failures: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Of a later slice."""
        self.outcomes += other.outcomes
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)
        self.printed += other.printed
        self.failures += other.failures

    def row(self, kind: str) -> str:
        counts = (self.outcomes[name] for name in ("refused", "read", "failed"))
        cells = [f"{sum(self.outcomes.values()):,}", *(f"{count:,}" for count in counts)]
        cells += [f"{self.slowest:.2f} s", f"{self.largest:,} MB", f"{self.printed:,}"]
        return f"| {kind} | {' | '.join(cells)} |"


def try_inputs(kind: str, first: int, count: int, seconds: float = 1e9) -> Tally:
    """So many inputs of a kind, from a number on, until the time is over."""
    tally, until, number = Tally(), time.monotonic() + seconds, first
    with tempfile.TemporaryFile() as printed:
        while number < first + count and time.monotonic() < until:
            number = _try_some(kind, number, first + count, until, tally, printed.fileno())
        tally.printed = os.fstat(printed.fileno()).st_size
    return tally


def _try_some(kind: str, start: int, end: int, until: float, tally: Tally, log: int) -> int:
    """In one process, until it fails by ending or by not ending; the number to go on with."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, kind, start, end, until, log))
    process.start()
    theirs.close()
    number = start
    try:
        while True:
            if not ours.poll(SECONDS):
                process.kill()
                tally.failures.append((number, f"took longer than {SECONDS:g} seconds"))
                break
            outcome, seconds, memory, why = ours.recv()
            if outcome == "end":
                return max(number, end if time.monotonic() < until else number)
            tally.outcomes[outcome] += 1
            tally.slowest, tally.largest = max(tally.slowest, seconds), max(tally.largest, memory)
            if outcome == "failed":
                tally.failures.append((number, why))
            number += 1
            if time.monotonic() >= until and number < end:
                process.kill()
                return end
    except EOFError:
        process.join()
        tally.failures.append((number, f"the process ended with {process.exitcode}"))
    finally:
        process.kill()
        process.join()
    tally.outcomes["failed"] += 1
    return number + 1


def _work(pipe: Connection, kind: str, start: int, end: int, until: float, log: int) -> None:
    os.dup2(log, 2)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    inherited = _megabytes("VmRSS")  # of the process that it was forked from
    for number in range(start, end):
        began = time.monotonic()
        try:
            outcome, why = ("read" if attempt(kind, hostile(kind, number)) else "refused"), ""
        except Exception as error:
            outcome, why = "failed", f"{type(error).__name__}: {error}"[:300]
        seconds, memory = time.monotonic() - began, _megabytes("VmHWM") - inherited
        if memory > MAX_MEMORY:
            outcome, why = "failed", f"took {memory:,} MB"
        pipe.send((outcome, seconds, memory, why))
        Path("/proc/self/clear_refs").write_text("5")  # the next input has a peak of its own
    pipe.send(("end", 0.0, 0, ""))


def _megabytes(name: str) -> int:
    """Memory of this process: VmRSS is what it has now, VmHWM what it has had at most."""
    return int(Path("/proc/self/status").read_text().split(f"{name}:")[1].split()[0]) // 1024


def keep(folder: Path, kind: str, tally: Tally) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, why in tally.failures:
        name = f"{kind}-{number}"
        (folder / name).write_bytes(hostile(kind, number))
        print(f"failed: {name}: {why}", flush=True)


def read_total(path: Path | None) -> dict[str, Tally]:
    """What was tried in earlier slices, by kind."""
    if path is None or not path.exists():
        return {}
    saved = json.loads(path.read_text())
    return {
        kind: Tally(**{**tally, "outcomes": Counter(tally["outcomes"])})
        for kind, tally in saved.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=1000, help="of each kind")
    parser.add_argument("--minutes", type=float, default=10.0, help="at most, of all kinds")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first input")
    parser.add_argument("--kinds", nargs="+", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--keep", type=Path, default=Path("tests/hostile/cases"))
    parser.add_argument("--total", type=Path, help="of several slices: goes on from there")
    asked = parser.parse_args()
    print("| kind | tried | refused | read | failed | slowest | largest | bytes printed |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    failed = 0
    total = read_total(asked.total)
    for kind in asked.kinds:
        seconds = 60 * asked.minutes / len(asked.kinds)
        before = total.setdefault(kind, Tally())
        first = asked.seed + sum(before.outcomes.values())
        tally = try_inputs(kind, first, asked.inputs, seconds)
        before.add(tally)
        if asked.total:
            write_file(asked.total, json.dumps({name: vars(it) for name, it in total.items()}))
        print(before.row(kind), flush=True)
        keep(asked.keep, kind, tally)
        failed += len(tally.failures)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
