"""How long an epoch takes, and what running trees by level saves: python benchmarks/train.py PACK.

Times whole training steps of a packed corpus for some batch sizes, captured, on the GPU if there is
one; then one batch's decoder, teacher-forced, by level and step by step (Algorithm 1).
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from san.data.pack import Pack
from san.errors import run_or_exit
from san.grammar.productions import unfold
from san.model.torch import SAN, NetworkConfig
from san.model.torch.batch import Batch, slots
from san.model.torch.network import decode_by_level
from san.model.torch.traversal import traverse
from san.training.batching import assign_buckets, choose_buckets
from san.training.config import Config, DataConfig, TrainingConfig
from san.training.dataset import PackedDataset
from san.training.loop import TrainingRun


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def epochs(corpus: PackedDataset, batch: int, count: int, device: torch.device) -> list[float]:
    """Seconds of each epoch; the first one plans and captures."""
    config = Config(
        data=DataConfig(buckets=20), training=TrainingConfig(batch_size=batch, learning_rate=0.1)
    )
    run = TrainingRun(config, corpus, None, Path("runs/benchmark"), device)
    if run.captured.fused:
        run.captured.reserve(batch * run.widest)
    seconds, step = [], 0
    for epoch in range(count):
        began = time.perf_counter()
        for one in run.plan(epoch):
            step += 1
            run.captured.step(one, step, 0.1, step)
        wait(device)
        seconds.append(time.perf_counter() - began)
    return seconds


@torch.no_grad()
def decoders(corpus: PackedDataset, batch: int, device: torch.device) -> tuple[float, float]:
    """Seconds for one batch's trees: by level, and step by step."""
    torch.set_flush_denormal(True)  # untrained features are all but zero, which CPUs are slow at
    network = SAN(NetworkConfig(), corpus.vocabulary).to(device).eval()
    buckets = choose_buckets(corpus.sizes, 20)
    homes = assign_buckets(corpus.sizes, buckets)
    index = int(np.bincount(homes).argmax())
    places = np.flatnonzero(homes == index)[:batch]
    where = torch.from_numpy(corpus.image_table(places, len(places))).to(device)
    images, mask = corpus.unpack_images(where, buckets[index])
    trees = [own for place in places if (own := corpus.levels[place])]
    columns = slots(trees, corpus.vocabulary)
    tensors = {name: torch.from_numpy(array).to(device) for name, array in columns.items()}
    memory = network.encode(images, mask)
    found = []
    for way in ("level", "step"):
        for _ in range(2):  # the first one warms up
            wait(device)
            began = time.perf_counter()
            if way == "level":
                decode_by_level(network.decoder, memory, Batch(images, mask, **tensors))
            else:
                for image, place in enumerate(places):
                    steps = unfold(corpus.trees[place])
                    traverse(network.decoder, memory, image, steps, corpus.vocabulary)
            wait(device)
            seconds = time.perf_counter() - began
        found.append(seconds)
    return found[0], found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--batch", type=int, nargs="+", default=[8, 32])
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    corpus = PackedDataset(Pack.load(options.pack), device)
    for batch in options.batch:
        seconds = epochs(corpus, batch, options.epochs, device)
        print(f"batch {batch:3d}: epochs of {', '.join(f'{s:.2f}' for s in seconds)} s")
    level, step = decoders(corpus, 32, device)
    print(f"decoder: {1000 * level:.1f} ms by level, {1000 * step:.1f} ms step by step, "
          f"{step / level:.1f} times")  # fmt: skip


if __name__ == "__main__":
    run_or_exit(main)
