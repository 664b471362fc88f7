"""Reading with Ray on a cluster of this machine: one and two nodes of a core, and a node that dies.

    python benchmarks/ray_nodes.py [--pictures 1000]

Needs the extra `ray` and two cores. Pictures are those of `samples/`, again and again, each read in
one pass. A node is a set of real processes (`ray.cluster_utils`) that has one core to give, and is
pinned to it; Ray's head and the driver, a machine of their own elsewhere, run where there is room.
Beside it in the same run, on the same cores: readers without Ray, one process a core.

Told are pictures a second by the clock, in windows of a few seconds in which others take next to
nothing of the cores, from a fifth of the pictures, when all readers are loaded, to nine tenths,
when none has run out; how many that were for a second of computing, of the readers and of all; how
much of a core the driver and Ray took beside the readers, and others of the readers' cores; and how
many windows counted: where none did, the clock says little. The memory is the largest of a reader,
at begin and end. What it took until the first result is told apart. In the last run a node is
killed after a third.
"""

import argparse
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import cv2

from ray_processes import RAY, READER, pinned, processes
from ray_windows import Windows
from san.bulk import read_dataset
from san.bulk.dataset import import_ray, open_sources
from san.bulk.reader import ReaderOptions, result_row
from san.errors import SanError, run_or_exit
from san.reader import Recognizer

FROM, TO = 0.2, 0.9
"""Of the pictures: the window in which all readers read."""


def make_pictures(folder: Path, count: int) -> None:
    samples = sorted(Path("samples").glob("*.png"))
    for number in range(count):
        shutil.copy(samples[number % len(samples)], folder / f"{number:06}.png")


def read_alone(core: int, files: list[Path], ready: Any, count: Any) -> None:
    """As `san read --threads 1` does, on one core, with all that a row of Ray's results says."""
    os.sched_setaffinity(0, {core})
    cv2.setNumThreads(1)  # as in a reader
    reader = Recognizer(threads=1, quick=True)
    list(reader.read_pages(files[:5]))
    ready.wait()
    for result in reader.read_pages(files):
        result_row(result)  # nothing of it is computed before it is asked for
        with count.get_lock():
            count.value += 1


def alone(folder: Path, cores: int) -> float:
    """Pictures a second, by readers without Ray."""
    spawn = multiprocessing.get_context("spawn")
    ready, count = spawn.Barrier(cores + 1), spawn.Value("l", 0)
    files = sorted(folder.iterdir())
    readers = [
        spawn.Process(target=read_alone, args=(core, files[core::cores], ready, count))
        for core in range(cores)
    ]
    for reader in readers:
        reader.start()
    ready.wait()
    windows = Windows(0, cores, reading=RAY)  # whatever was started here
    while count.value < TO * len(files):
        time.sleep(0.1)
        windows.tell(count.value)
    for reader in readers:
        reader.join()
    found = windows.summary()
    name = f"{cores} processes" if cores > 1 else "1 process"
    print(f"| {name} | {found.cells()} | | | |", flush=True)
    return found.rate


def clustered(folder: Path, nodes: int, kill: bool = False) -> float:
    """Pictures a second, by nodes of Ray."""
    ray = import_ray()
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    added = []
    for core in range(nodes):
        with pinned(core):
            added.append(cluster.add_node(num_cpus=1))
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        began = time.monotonic()
        dataset, count = open_sources(str(folder), set(), nodes)
        results: Any = read_dataset(dataset, options=ReaderOptions(quick=True))
        seen: Counter[str] = Counter()
        errors, first, early = 0, 0.0, 0
        windows: Windows | None = None
        for table in results.iter_batches(batch_size=None, batch_format="pyarrow"):
            first = first or time.monotonic() - began
            seen.update(table["id"].to_pylist())
            errors += table.num_rows - table["error"].null_count
            if windows is None and len(seen) >= FROM * count:
                windows, early = Windows(len(seen), nodes), largest_reader()
            elif windows is not None and len(seen) <= TO * count:
                windows.tell(len(seen))
            if kill and len(seen) > count / 3:
                kill = False
                threading.Thread(target=cluster.remove_node, args=(added[-1],)).start()
        if windows is None or len(seen) != count or set(seen.values()) != {1}:
            raise SanError(f"{count:,} pictures, {len(seen):,} answered, {seen.total():,} answers")
        found = windows.summary()
        name = f"{nodes} nodes" if nodes > 1 else "1 node"
        memory = f"{early} to {largest_reader()}"
        print(f"| {name} | {found.cells()} | {memory} | {first:.1f} | {errors} |", flush=True)
        return found.rate
    finally:
        ray.shutdown()
        cluster.shutdown()


def largest_reader() -> int:
    """MB."""
    found = processes(os.getpid()).values()
    return max((int(one.private_mb) for one in found if one.kind == READER), default=0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=1000)
    asked: Any = parser.parse_args()
    if asked.pictures < 400:
        parser.error("--pictures is a number from 400 on: fewer are read in less than a window")
    import_ray()  # or the line that says what to install, before anything is drawn
    os.environ |= {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_BACKEND_LOG_LEVEL": "fatal",
        "RAY_worker_niceness": "0",  # 15 by default: readers without Ray would go before
        "OPENBLAS_NUM_THREADS": "1",  # of processes without Ray, as `san read` does
    }
    print(
        "| | pictures a second | for a second of readers | of all | beside readers, cores "
        "| others there, cores | windows | memory, MB | first result, s | failed |"
    )
    print("| --- " * 10 + "|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_pictures(folder, asked.pictures)
        one_process, one_node = alone(folder, 1), clustered(folder, 1)
        two_processes, two_nodes = alone(folder, 2), clustered(folder, 2)
        print("and with a node that is killed after a third:")
        clustered(folder, 2, kill=True)
    print(f"2 processes : 1 process  {two_processes / one_process:.2f}")
    print(f"2 nodes : 1 node         {two_nodes / one_node:.2f}")
    print(f"1 node : 1 process       {one_node / one_process:.2f}")
    print(f"2 nodes : 2 processes    {two_nodes / two_processes:.2f}")


if __name__ == "__main__":
    run_or_exit(main)
