"""How well a network reads a corpus, and how much it recites.

Beside the recognition rate, two numbers tell reading from reciting: the share of teacher-forced
steps that are right, and the same with blank images. Every sample counts, however large.

SAN-GS asks for one step of each image at a time: its groups are larger, so that there are fewer.
"""

from typing import NamedTuple

import numpy as np
import torch

from san.decoding.engine import DecodingLimits
from san.decoding.frontier import decode_memory
from san.decoding.reading import Reading
from san.decoding.stack import decode_stacks_memory
from san.model.spec import EXTEND_TARGET
from san.model.torch.batch import Batch
from san.model.torch.engine import TorchEngine
from san.model.torch.network import SAN
from san.training.buckets import Bucket, choose_buckets, place_in
from san.training.corpus import Corpus

CELLS = 12_000  # grid cells that are read at once
MANY_CELLS = 48_000  # the same for SAN-GS
SPARE = 10  # steps more than the longest tree has: a tree that was cut off cannot be right


class Scores(NamedTuple):
    exact: float  # percent of trees read without an error: ExpRate
    steps: float  # percent of teacher-forced steps that are right
    blank: float  # the same with blank images


def groups(network: SAN, corpus: Corpus) -> list[tuple[Bucket, np.ndarray]]:
    """Samples of about one size, so many at a time as fit."""
    buckets, cells = (24, CELLS) if network.config.coverage == "path" else (8, MANY_CELLS)
    shapes = choose_buckets(corpus.sizes, buckets)
    homes = place_in(corpus.sizes, shapes)
    found = []
    for index, bucket in enumerate(shapes):
        places = np.flatnonzero(homes == index)
        most = max(1, cells * 256 // bucket.area)
        found += [(bucket, places[at : at + most]) for at in range(0, len(places), most)]
    return found


def read_corpus(
    network: SAN, corpus: Corpus, limits: DecodingLimits | None = None
) -> list[Reading]:
    """Every sample, greedily, in the corpus's order."""
    device = corpus.bits.device
    engine = TorchEngine(network, device)
    walk = network.config.coverage == "all"
    # One step costs as much as a whole level: no more of them than can be right.
    longest = (
        DecodingLimits(steps=int(corpus.extent.steps.max()) + SPARE) if walk else DecodingLimits()
    )
    decode = decode_stacks_memory if walk else decode_memory
    readings: dict[int, Reading] = {}
    for bucket, places in groups(network, corpus):
        where = torch.from_numpy(corpus.where(places, len(places))).to(device)
        memory = engine.encode_canvas(*corpus.pixels(where, bucket))
        for place, reading in zip(places, decode(engine, memory, limits or longest), strict=True):
            readings[int(place)] = reading
    return [readings[place] for place in range(len(corpus))]


@torch.no_grad()
def forced(network: SAN, corpus: Corpus, blank: bool = False) -> float:
    """Percent of teacher-forced steps whose target and, for an E, relations are all right."""
    device = corpus.bits.device
    network = network.to(device).eval()
    right = total = 0.0
    for bucket, every in groups(network, corpus):
        places = np.array([place for place in every if corpus.levels[place] is not None])
        if not len(places):
            continue
        where = torch.from_numpy(corpus.where(places, len(places))).to(device)
        images, mask = corpus.pixels(where, bucket)
        trees = [own for place in places if (own := corpus.levels[place])]
        columns = {
            name: torch.from_numpy(array).to(device) for name, array in network.slots(trees).items()
        }
        batch = Batch(torch.zeros_like(images) if blank else images, mask, **columns)
        run = network.decode(network.encode(batch.images, mask), batch)
        bits = torch.arange(7, device=device, dtype=torch.int32)
        opened = ((batch.relations[..., None] >> bits) & 1) > 0
        good = run.symbols.argmax(-1) == batch.target
        related = ((run.relations > 0) == opened).all(-1)
        good &= related | (batch.target != EXTEND_TARGET)
        right += float((good * batch.weight).sum())
        total += float(batch.weight.sum())
    return 100 * right / max(total, 1.0)


def validate(network: SAN, corpus: Corpus) -> Scores:
    readings = read_corpus(network, corpus)
    exact = sum(
        reading.expression == tree for reading, tree in zip(readings, corpus.trees, strict=True)
    )
    return Scores(
        100 * exact / len(corpus), forced(network, corpus), forced(network, corpus, blank=True)
    )
