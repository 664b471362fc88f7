"""How much sooner a pack is ready to train on than the InkML that it was made from, in one run.

    python benchmarks/pack.py [SOURCE]

SOURCE is a folder or zip of InkML; by default CROHME 2014, where it is at hand (folder SAN_DATA,
or shared/data beside the checkout). Both ways end with every picture and every tree in memory.
"""

import argparse
import tempfile
import time
from pathlib import Path

from corpora import CROHME
from san.data.corpus import open_corpus
from san.data.pack import Pack, write_pack
from san.errors import run_or_exit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=CROHME / "test2014.inkml.zip")
    source = parser.parse_args().source

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pack.npz"
        write_pack(open_corpus(source), path)
        size = path.stat().st_size

        start = time.perf_counter()
        drawn = [(sample.tree, sample.picture()) for sample in open_corpus(source)]
        reading = time.perf_counter() - start

        start = time.perf_counter()
        pack = Pack.load(path)
        loading = time.perf_counter() - start
        unpacked = [(pack.tree(place), pack.image(place)) for place in range(len(pack))]
        unpacking = time.perf_counter() - start

    same = all(
        tree == other and (picture == image).all()
        for (tree, picture), (other, image) in zip(drawn, unpacked, strict=True)
    )
    print(f"{source.name}: {len(pack):,} expressions, packed in {size / 1e6:.2f} MB")
    print(f"read and draw InkML      {reading:7.2f} s")
    print(f"load the pack            {loading:7.2f} s")
    print(f"load it, unpack all      {unpacking:7.2f} s")
    print(f"ratio {reading / unpacking:.0f} to 1; pictures and trees equal: {same}")


if __name__ == "__main__":
    run_or_exit(main)
