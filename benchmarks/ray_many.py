"""A hundred thousand pictures through `san read --ray`: every one answered once, in flat memory.

    python benchmarks/ray_many.py [--pictures 100000] [--distinct 400]

Needs the extra `ray`. Pictures are drawn by our own alphabet, of one to three symbols, so that they
are quick to read: a few hundred distinct ones, under as many ids as are asked for, in one Parquet
file of bytes. Each is read in one pass. After every tenth a line tells how far it is, and the
memory in MB: of the driver, of the largest reader, of all that Ray runs beside them, and what the
object store has used so far. Exits with 1 if an id is missing or there twice, if a picture failed,
or if memory grew by more than a tenth from the second line to the last.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from tools.handwriting import write_formula  # noqa: E402

from ray_processes import DRIVER, RAY, READER, processes  # noqa: E402
from san.bulk.dataset import import_ray  # noqa: E402
from san.errors import SanError, run_or_exit  # noqa: E402
from san.grammar import parse  # noqa: E402
from san.ink.alphabet import SimulatedWriter  # noqa: E402
from san.ink.draw import draw  # noqa: E402

FORMULAS = ("x", "3", "a^{2}", "x+1", "2y", "b=c", "n", "7")
ROWS = 10
"""Of the table."""
EDGE = 12
"""Pixels of paper around the ink."""
MAX_GROWTH = 1.1
GROUP_ROWS = 1000
"""Of the Parquet file."""


class Memory(NamedTuple):
    """MB."""

    driver: float
    reader: float  # the largest
    ray: float  # all of it, without what is shared
    store: float

    @classmethod
    def of(cls, driver: int) -> "Memory":
        every = processes(driver).values()

        def private(kind: str) -> list[float]:
            return [one.private_mb for one in every if one.kind == kind] or [0.0]

        store = max((one.shared_mb for one in every), default=0.0)
        return cls(sum(private(DRIVER)), max(private(READER)), sum(private(RAY)), store)


def draw_pictures(distinct: int) -> list[tuple[str, bytes]]:
    """Formulas and PNG files of them."""
    made = []
    for seed in range(distinct):
        latex = FORMULAS[seed % len(FORMULAS)]
        ink = draw(write_formula(latex, SimulatedWriter(seed)).ink)
        paper = np.pad(255 - ink, EDGE, constant_values=255)
        out = io.BytesIO()
        Image.fromarray(paper).save(out, "PNG")
        made.append((latex, out.getvalue()))
    return made


def write_parquet(path: Path, pictures: list[tuple[str, bytes]], count: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("id", pa.string()), ("bytes", pa.binary())])
    with pq.ParquetWriter(path, schema) as file:
        for begin in range(0, count, GROUP_ROWS):
            numbers = range(begin, min(begin + GROUP_ROWS, count))
            contents = [pictures[number % len(pictures)][1] for number in numbers]
            file.write_table(pa.table([[f"{n:07}" for n in numbers], contents], schema=schema))


def progress(process: "subprocess.Popen[str]") -> Iterator[tuple[int, int]]:
    """How many are read, and how many of them failed, whenever it is said."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.match(r"([\d,]+) of [\d,]+, ([\d,]+) could not be read", line):
            read, failed = (int(number.replace(",", "")) for number in found.groups())
            yield read, failed
        else:
            print(line.rstrip(), file=sys.stderr)


def run(source: Path, target: Path, count: int) -> list[Memory]:
    """Reads all, and tells after every tenth."""
    command = [sys.executable, "-c", "from san.cli.main import main; main()"]
    began, told = time.monotonic(), 0
    rows: list[Memory] = []
    with subprocess.Popen(
        [*command, "read", "--ray", str(source), str(target), "--quick"],
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        memory = Memory(0, 0, 0, 0)
        for read, failed in progress(process):
            if read < count:  # at the end there is nobody to be asked
                memory = Memory.of(process.pid)
            if (tenth := read * ROWS // count) > told:
                told = tenth
                rows.append(memory)
                seconds = time.monotonic() - began
                cells = " | ".join(f"{size:.0f}" for size in memory)
                print(
                    f"| {read:,} | {failed} | {seconds / 60:.1f} | {read / seconds:.1f} "
                    f"| {cells} | {os.getloadavg()[0]:.1f} |",
                    flush=True,
                )
    return rows


def check(target: Path, pictures: list[tuple[str, bytes]], count: int) -> None:
    """That every id has one answer, and how many are right."""
    import pyarrow.parquet as pq

    seen: Counter[str] = Counter()
    failed = right = 0
    trees = [parse(latex) for latex, _ in pictures]
    for part in sorted(target.glob("*.parquet")):
        table = pq.read_table(part, columns=["id", "latex", "error"])
        for row in table.to_pylist():
            seen[row["id"]] += 1
            failed += row["error"] is not None
            right += row["error"] is None and parse(row["latex"]) == trees[
                int(row["id"]) % len(trees)
            ]  # fmt: skip
    print(
        f"{count:,} ids, {len(seen):,} answered, {seen.total() - len(seen):,} twice; "
        f"{failed:,} failed, {right / count:.2%} read as they were written"
    )
    if len(seen) != count or seen.total() != count or failed:
        raise SanError("not every picture was answered once")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=100_000)
    parser.add_argument("--distinct", type=int, default=400)
    asked: Any = parser.parse_args()
    if asked.distinct < 1 or asked.pictures < asked.distinct:
        parser.error("--distinct is a number from 1 on, and --pictures at least as large")
    import_ray()  # which says in one line what is missing, and brings pyarrow
    with tempfile.TemporaryDirectory() as place:
        source, target = Path(place, "pictures.parquet"), Path(place, "results")
        pictures = draw_pictures(asked.distinct)
        write_parquet(source, pictures, asked.pictures)
        print("| read | failed | minutes | a second | driver | a reader | Ray | store | load |")
        print("| --- " * 9 + "|")
        rows = run(source, target, asked.pictures)
        check(target, pictures, asked.pictures)
    first, last = sum(rows[min(1, len(rows) - 1)][:3]), sum(rows[-1][:3])
    print(f"memory at the end : after a fifth  {last / first:.2f}")
    if last > MAX_GROWTH * first:
        raise SanError("memory grew")


if __name__ == "__main__":
    run_or_exit(main)
