"""Reading with Ray on a cluster of this machine: one and two nodes of a core, and a node that dies.

    python benchmarks/ray_nodes.py [--pictures 400]

Needs the extra `ray`. Pictures are those of `samples/`, again and again, each read in one pass. A
node is a set of real processes (`ray.cluster_utils`) that has one core to give. Told are pictures a
second, and a second of computing, which does not depend on what else the machine does: of the
readers alone, and of all that Ray runs. The memory is the largest of a reader, after a tenth of its
pictures and at the end. In the last run a node is killed in the middle.
"""

import argparse
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from san.bulk import read_dataset
from san.bulk.dataset import import_ray, open_sources
from san.bulk.reader import ReaderOptions
from san.errors import run_or_exit
from san.reader import Recognizer

TICKS = os.sysconf("SC_CLK_TCK")
READER = "BatchReader"


def make_pictures(folder: Path, count: int) -> None:
    samples = sorted(Path("samples").glob("*.png"))
    for number in range(count):
        shutil.copy(samples[number % len(samples)], folder / f"{number:06}.png")


def processes() -> Iterator[tuple[str, Path]]:
    """Of Ray, by their command lines."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if "ray::" in command or "/ray/" in command:
            yield command, place


class Computing:
    """Seconds of computing of Ray's processes, since this was made; asked for often, since what has
    ended cannot be asked any more."""

    def __init__(self) -> None:
        self._before, self._now = self._look(), self._look()

    def look(self) -> None:
        self._now |= self._look()

    def seconds(self, only: str = "") -> float:
        """Of all, or of those of a name."""
        return (
            sum(
                ticks - self._before.get(process, 0)
                for process, ticks in self._now.items()
                if only in process[1]
            )
            / TICKS
        )

    def _look(self) -> dict[tuple[str, str], int]:
        found = {}
        for command, place in processes():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            kind = READER if READER in command else "other"
            found[place.name, kind] = int(fields[11]) + int(fields[12])
        return found


def largest_reader() -> int:
    """MB."""
    sizes = [0]
    for command, place in processes():
        if READER in command:
            try:
                status = (place / "status").read_text()
                sizes.append(int(status.split("VmRSS:")[1].split()[0]) // 1024)
            except (OSError, IndexError):
                continue
    return max(sizes)


def alone(folder: Path) -> None:
    """As `san read --threads 1` does."""
    cv2.setNumThreads(1)  # as in a reader
    reader = Recognizer(threads=1, quick=True)
    files = sorted(folder.iterdir())
    list(reader.read_pages(files[:5]))
    began, computed = time.monotonic(), time.process_time()
    assert sum(1 for _ in reader.read_pages(files)) == len(files)
    seconds, computed = time.monotonic() - began, time.process_time() - computed
    print(f"| one process | {len(files) / seconds:.1f} | {len(files) / computed:.1f} | | | |")


def clustered(folder: Path, nodes: int, kill: bool = False) -> None:
    ray = import_ray()
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    added = [cluster.add_node(num_cpus=1) for _ in range(nodes)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        dataset, count = open_sources(str(folder), set(), nodes)
        results = read_dataset(dataset, options=ReaderOptions(quick=True))
        seen: Counter[str] = Counter()
        errors, early, began, warm = 0, 0, 0.0, 0
        computing: Computing | None = None
        for table in results.iter_batches(batch_size=None, batch_format="pyarrow"):
            if computing is None:  # the readers are loaded, and have read something
                began, computing, warm = time.monotonic(), Computing(), table.num_rows
            computing.look()
            seen.update(table["id"].to_pylist())
            errors += table.num_rows - table["error"].null_count
            early = early or (sum(seen.values()) > count // 10 and largest_reader()) or 0
            if kill and sum(seen.values()) > count // 3:
                kill = False
                threading.Thread(target=cluster.remove_node, args=(added[-1],)).start()
        seconds, read = time.monotonic() - began, sum(seen.values()) - warm
        assert computing is not None
        readers, whole = computing.seconds(READER), computing.seconds()
        assert len(seen) == count, "not every picture"
        assert set(seen.values()) == {1}, "a picture twice"
        name = f"{nodes} nodes" if nodes > 1 else "1 node"
        print(
            f"| {name} | {read / seconds:.1f} | {read / readers:.1f} "
            f"| {read / whole:.1f} | {early} to {largest_reader()} MB | {errors} |",
            flush=True,
        )
    finally:
        ray.shutdown()
        cluster.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=400)
    asked: Any = parser.parse_args()
    if asked.pictures < 3:
        parser.error("--pictures is a number from 3 on: a node is killed after a third of them")
    import_ray()  # or the line that says what to install, before anything is drawn
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    print("| | pictures a second | a second of readers | of all of Ray | memory | failed |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_pictures(folder, asked.pictures)
        alone(folder)
        clustered(folder, 1)
        clustered(folder, 2)
        print("and with a node that is killed after a third:")
        clustered(folder, 2, kill=True)
        alone(folder)


if __name__ == "__main__":
    run_or_exit(main)
