"""Validation: recognition rate on a dataset, and how well single steps are read.

Beside the recognition rate (ExpRate) stand the accuracy of teacher-forced steps, the same with
blank images (what the network knows of formulas by heart), and the cross entropy of their symbols,
which tells finer differences than counting. Every sample counts, however large.

All but SAN decode one step of each image at a time: groups are larger, so that there are fewer.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch

from san.decoding.engine import DecodingLimits
from san.decoding.reading import Reading
from san.model.spec import EXTEND_TARGET
from san.model.torch.base import Network
from san.model.torch.batch import Batch
from san.model.torch.losses import symbol_loss
from san.model.torch.readers import open_reader
from san.training.batching import Bucket, assign_buckets, choose_buckets
from san.training.dataset import PackedDataset

MAX_CELLS = 12_000  # grid cells that are read at once
MAX_CELLS_SEQUENTIAL = 48_000  # the same for all but SAN
EXTRA_STEPS = 10  # steps more than the longest tree has: a tree that was cut off cannot be right


class Scores(NamedTuple):
    exact: float  # percent of trees read without an error: ExpRate
    steps: float  # percent of teacher-forced steps that are right
    blank: float  # the same with blank images
    cross_entropy: float  # of the symbols of teacher-forced steps, mean


def size_groups(network: Network, dataset: PackedDataset) -> list[tuple[Bucket, np.ndarray]]:
    """Samples of about one size, so many at a time as fit."""
    buckets, cells = (24, MAX_CELLS) if network.config.kind == "san" else (8, MAX_CELLS_SEQUENTIAL)
    shapes = choose_buckets(dataset.sizes, buckets)
    bucket_of = assign_buckets(dataset.sizes, shapes)
    groups = []
    for index, bucket in enumerate(shapes):
        samples = np.flatnonzero(bucket_of == index)
        limit = max(1, cells * 256 // bucket.area)
        groups += [(bucket, samples[at : at + limit]) for at in range(0, len(samples), limit)]
    return groups


def read_dataset(
    network: Network, dataset: PackedDataset, limits: DecodingLimits | None = None
) -> list[Reading]:
    """Every sample, greedily, in the dataset's order."""
    device = dataset.bits.device
    reader = open_reader(network, device)
    sequential = network.config.kind != "san"
    # One step costs as much as a whole level: no more of them than can be right.
    longest = (
        DecodingLimits(steps=int(dataset.sample_sizes.steps.max()) + EXTRA_STEPS)
        if sequential
        else DecodingLimits()
    )
    readings: dict[int, Reading] = {}
    for bucket, samples in size_groups(network, dataset):
        table = torch.from_numpy(dataset.image_table(samples, len(samples))).to(device)
        memory = reader.encode_canvas(*dataset.unpack_images(table, bucket))
        for sample, found in zip(samples, reader.read(memory, limits or longest), strict=True):
            readings[int(sample)] = found[0]
    return [readings[sample] for sample in range(len(dataset))]


class StepScores(NamedTuple):
    """Of teacher-forced steps; no numbers where there are none."""

    right: float  # percent whose target and, for an E, relations are all right
    cross_entropy: float  # of their targets, mean


@torch.no_grad()
def score_steps(network: Network, dataset: PackedDataset, blank: bool = False) -> StepScores:
    """Teacher-forced steps of all samples whose symbols are known; `blank`: with blank images."""
    device = dataset.bits.device
    network = network.to(device).eval()
    right = entropy = total = 0.0
    for bucket, group in size_groups(network, dataset):
        samples = np.array([sample for sample in group if dataset.levels[sample] is not None])
        if not len(samples):
            continue
        table = torch.from_numpy(dataset.image_table(samples, len(samples))).to(device)
        images, mask = dataset.unpack_images(table, bucket)
        trees = [tree for sample in samples if (tree := dataset.levels[sample])]
        columns = {
            name: torch.from_numpy(array).to(device) for name, array in network.slots(trees).items()
        }
        batch = Batch(torch.zeros_like(images) if blank else images, mask, **columns)
        output, _ = network(batch)
        good = output.symbols.argmax(-1) == batch.target
        if network.config.kind in ("san", "san-gs"):
            bits = torch.arange(7, device=device, dtype=torch.int32)
            opened = ((batch.relations[..., None] >> bits) & 1) > 0
            related = ((output.relations > 0) == opened).all(-1)
            good &= related | (batch.target != EXTEND_TARGET)
        right += float((good * batch.weight).sum())
        steps = float(batch.weight.sum())
        entropy += steps * float(symbol_loss(output.symbols, batch.target, batch.weight))
        total += steps
    if not total:  # no sample's symbols are all known
        return StepScores(math.nan, math.nan)
    return StepScores(100 * right / total, entropy / total)


def exact_rate(network: Network, dataset: PackedDataset) -> float:
    """Percent of trees read without an error: ExpRate."""
    readings = read_dataset(network, dataset)
    exact = sum(
        reading.expression == tree for reading, tree in zip(readings, dataset.trees, strict=True)
    )
    return 100 * exact / len(dataset)


def validate(network: Network, dataset: PackedDataset) -> Scores:
    steps = score_steps(network, dataset)
    return Scores(
        exact_rate(network, dataset),
        steps.right,
        score_steps(network, dataset, blank=True).right,
        steps.cross_entropy,
    )


def all_scores(
    network: Network, dataset: PackedDataset, photos: Mapping[str, PackedDataset]
) -> dict[str, float]:
    """Those of the dataset, and ExpRates of photographs, as the log has them; only numbers."""
    scores = validate(network, dataset)._asdict() | {
        f"exact_{name}": exact_rate(network, photographs) for name, photographs in photos.items()
    }
    return {name: round(value, 4) for name, value in scores.items() if math.isfinite(value)}
