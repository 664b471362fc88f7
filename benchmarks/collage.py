"""Photographs recombined: what can be made of them, how fast, and whether a network reads it.

python benchmarks/collage.py [--photos packs/photos-train.npz] [--unseen packs/photos-held.npz]

Prints shares and lengths of collages, then how many of them, of the photographs that they are made
of and of others the network reads exactly, and the share of their symbols that it reads in order.
"""

import argparse
import time
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from rich.progress import track

from san.data.pack import Pack
from san.data.photo_masks import PhotoMasks
from san.decoding.frontier import decode
from san.errors import run_or_exit
from san.grammar import Expression
from san.model.onnx.engine import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK
from san.synth.glyphs.build import build_bank
from san.synth.photo.collage import Collage
from san.synth.photo.wear import retake
from san.synth.samples import SynthSample

PARTS = (5, 25, 50, 75, 95)


def names(tree: Expression) -> list[str]:
    return [visit.symbol.name for visit in tree.walk()]


def make_collages(collage: Collage, seeds: range) -> list[SynthSample]:
    """Collages; prints figures of them."""
    sources = [source for source in collage.sources if source]
    can = [len(source.cuts) for source in sources]
    print(f"{np.mean([cuts > 0 for cuts in can]):.1%} can be cut, at {np.mean(can):.1f} places")
    began = time.process_time()
    made = [collage.sample(np.random.default_rng(seed)) for seed in seeds]
    print(f"{len(made) / (time.process_time() - began):.0f} collages a second")
    old = set(collage.trees)
    print(f"{np.mean([own.tree not in old for own in made]):.1%} have a tree of their own")
    for what, trees in (("collages", [own.tree for own in made]), ("photographs", collage.trees)):
        lengths = np.percentile([len(names(tree)) for tree in trees], PARTS)
        print(f"symbols of {what}: {' '.join(f'{own:.0f}' for own in lengths)}")
    return made


def read(engine: OnnxEngine, samples: Sequence[SynthSample], what: str) -> None:
    right = common = total = 0
    for own in track(samples, what, transient=True):
        (reading,) = decode(engine, [(own.picture > 127).astype(np.float32)])
        right += reading.expression == own.tree
        true, got = names(own.tree), names(reading.expression)
        blocks = SequenceMatcher(None, true, got, autojunk=False).get_matching_blocks()
        common += sum(block.size for block in blocks)
        total += len(true)
    print(f"{what}: {right} of {len(samples)} ({right / len(samples):.1%}), {common / total:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", default="packs/photos-train.npz")
    parser.add_argument("--unseen", default="packs/photos-held.npz")
    parser.add_argument("--masks", default="packs/photo-masks.npz")
    parser.add_argument("--glyphs", default="packs/photo-glyphs.npz")
    parser.add_argument("--ink", default="packs/crohme-train.npz")
    parser.add_argument("--weights", type=Path, default=NETWORK, help="who reads them")
    parser.add_argument("--count", type=int, default=200, help="how many are read")
    given = parser.parse_args()
    photos, unseen = Pack.load(given.photos), Pack.load(given.unseen)
    masks = PhotoMasks.load(given.masks)
    masks.check(photos)
    bank = build_bank(Pack.load(given.ink), photo_glyphs=Pack.load(given.glyphs))
    collage = Collage(photos, masks, bank)
    made = make_collages(collage, range(1000))[: given.count]
    engine = OnnxEngine(load_models(given.weights)).on_one_core()
    rng = np.random.default_rng(0)
    some = rng.permutation(len(photos))[: given.count]
    read(engine, [collage.photograph(int(place)) for place in some], "photographs")
    read(engine, made, "collages")
    new = [own for own in made if own.tree not in set(collage.trees)]
    if new:
        read(engine, new, "collages with a tree of their own")
    again = [retake(own.picture, own.boxes, rng)[0] for own in made]
    pairs = zip(made, again, strict=True)
    read(engine, [own._replace(picture=picture) for own, picture in pairs], "collages taken again")
    unknown = np.empty((0, 4), np.float32)
    others = [
        SynthSample(unseen.image(place), unseen.tree(place), unknown)
        for place in range(len(unseen))
    ]
    read(engine, others, "photographs never seen")


if __name__ == "__main__":
    run_or_exit(main)
