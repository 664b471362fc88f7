"""Many clients of a service whose processes are killed and held up: no answer is lost or wrong.

    python benchmarks/faults.py [--minutes 60] [--clients 32] [--workers 2]

`san serve --workers` runs with its log on a full disk (`/dev/full`). Every half a minute one of its
processes is killed, or stands still for a few seconds and goes on, as on a machine that is put to
sleep: the clocks of that process jump ahead. Its wall clock (Python's `time.time`) also jumps an
hour ahead and back, every 20 seconds. Some clients send a request and leave. The others ask for the
files of `samples/`, and ask again where the connection was closed before an answer came, as a
killed process does it, or where they were told to come again (503). An answer is wrong if its LaTeX
is not the one that was given before the faults began; it is lost if it does not come within
`TRIES`. A line of the table is told after every tenth of the time. Exits with 1 if one is wrong or
lost.
"""

import argparse
import asyncio
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx

from serve import Question, post, questions

TRIES = 20
FAULT_SECONDS, STILL_SECONDS = 30.0, 4.0
ROWS = 10
"""Of the table."""
COLUMNS = {
    "right": "right",
    "wrong": "wrong",
    "lost": "lost",
    "killed": "processes killed",
    "held up": "processes held up",
    "closed": "connections closed, asked again",
    "503": "503, asked again",
    "left": "sent and left",
}
"""Of the table, and what is counted for each."""
JUMPS = """
import time
true_time = time.time
time.time = lambda: true_time() + 3600 * (int(true_time() / 20) % 3 - 1)
"""
"""A `sitecustomize`, which Python runs before all else."""


def children(pid: int) -> list[int]:
    """The processes that serve."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(OSError):  # it has just ended
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    return found


def megabytes(pid: int) -> int:
    """The memory of the parent and of all that serve."""
    total = 0
    for process in (pid, *children(pid)):
        with suppress(OSError, IndexError):  # it has just ended
            status = Path(f"/proc/{process}/status").read_text()
            total += int(status.split("VmRSS:")[1].split()[0])
    return total // 1024


async def table(pid: int, seconds: float, seen: Counter[str]) -> None:
    """What was seen so far, again and again."""
    print(f"| minutes | {' | '.join(COLUMNS)} | MB |\n{'| --- ' * (len(COLUMNS) + 2)}|")
    for row in range(1, ROWS + 1):
        await asyncio.sleep(seconds / ROWS)
        counts = " | ".join(f"{seen[counted]:,}" for counted in COLUMNS.values())
        print(f"| {row * seconds / ROWS / 60:.0f} | {counts} | {megabytes(pid):,} |", flush=True)


async def faults(pid: int, until: float, seen: Counter[str]) -> None:
    dice = random.Random(0)
    while time.monotonic() + FAULT_SECONDS < until:
        await asyncio.sleep(FAULT_SECONDS)
        victim = dice.choice(children(pid))
        with suppress(ProcessLookupError):
            if dice.random() < 0.5:
                os.kill(victim, signal.SIGKILL)
                seen["processes killed"] += 1
            else:
                os.kill(victim, signal.SIGSTOP)
                await asyncio.sleep(STILL_SECONDS)
                os.kill(victim, signal.SIGCONT)
                seen["processes held up"] += 1


async def ask(http: httpx.AsyncClient, question: Question, right: str, seen: Counter[str]) -> None:
    for _ in range(TRIES):
        try:
            answer = await http.post(
                question.url, content=question.body, headers={"Content-Type": question.kind}
            )
        except httpx.TransportError:
            seen["connections closed, asked again"] += 1
            await asyncio.sleep(0.5)
            continue
        if answer.status_code == 503:
            seen["503, asked again"] += 1
            await asyncio.sleep(float(answer.headers["Retry-After"]))
            continue
        if answer.status_code != 200:
            seen[f"answered {answer.status_code}"] += 1
        seen["right" if answer.json().get("latex") == right else "wrong"] += 1
        return
    seen["lost"] += 1


async def leave(url: str, question: Question, until: float, seen: Counter[str]) -> None:
    """Send, and do not wait for the answer."""
    while time.monotonic() < until:
        with suppress(httpx.HTTPError):
            async with httpx.AsyncClient(base_url=url, timeout=0.05) as http:
                await http.post(question.url, content=question.body)
        seen["sent and left"] += 1
        await asyncio.sleep(1)


async def load(
    url: str, pid: int, clients: int, seconds: float, right: dict[Path, str]
) -> Counter[str]:
    seen: Counter[str] = Counter()
    turn, until = itertools.cycle(questions()), time.monotonic() + seconds

    async def client(http: httpx.AsyncClient) -> None:
        while time.monotonic() < until:
            question = next(turn)
            await ask(http, question, right[question.path], seen)

    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:
        await asyncio.gather(
            faults(pid, until, seen),
            table(pid, seconds, seen),
            leave(url, questions()[0], until, seen),
            *(client(http) for _ in range(clients)),
        )
    return seen


def attack(server: "subprocess.Popen[str]", clients: int, seconds: float) -> int:
    """The exit code."""
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[0]
        with httpx.Client(base_url=url, timeout=120) as http:
            right = {one.path: post(http, one).json()["latex"] for one in questions()}
        seen = asyncio.run(load(url, server.pid, clients, seconds, right))
        began = time.monotonic()
        server.terminate()
        server.wait(60)
        print(f"stopped in {time.monotonic() - began:.1f} s with {server.returncode}")
    finally:
        server.kill()
        server.wait()
    for what, count in sorted(seen.items()):
        print(f"{count:,} {what}")
    return 1 if seen["wrong"] or seen["lost"] or not seen["right"] or server.returncode else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    if asked.minutes <= 0 or asked.clients < 1 or asked.workers < 1:
        parser.error("--minutes is above 0, --clients and --workers are numbers from 1 on")
    command = [sys.executable, "-c", "from san.cli.main import main; main()", "serve", "--quick"]
    with Path("/dev/full").open("w") as full, tempfile.TemporaryDirectory() as place:
        Path(place, "sitecustomize.py").write_text(JUMPS)
        server = subprocess.Popen(
            [*command, "--port", "0", "--workers", str(asked.workers)],
            stdout=subprocess.PIPE, stderr=full, text=True, env=os.environ | {"PYTHONPATH": place},
        )  # fmt: skip
        return attack(server, asked.clients, 60 * asked.minutes)


if __name__ == "__main__":
    sys.exit(main())
