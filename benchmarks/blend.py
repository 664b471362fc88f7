"""Blended glyphs: what they cost, and how much harder they are to read.

    python benchmarks/blend.py [--pack packs/crohme-train.npz] [--formulas packs/formulas.txt]

The network reads the same formulas in the same layouts, blended and not: only the shapes differ.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from collage import read
from compose import seconds, speed
from san.data.pack import Pack
from san.errors import run_or_exit
from san.grammar import Expression, parse
from san.model.onnx.engine import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK
from san.synth.composer import Composer
from san.synth.config import SynthConfig
from san.synth.formulas.text import read_lines
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blender, Way
from san.synth.glyphs.build import build_bank
from san.synth.layout.place import Layout
from san.synth.layout.writer import ExpressionWriter, PlacedGlyph
from san.synth.random_stream import RandomStream
from san.synth.samples import SynthSample
from san.synth.variation.config import DistortionConfig
from san.synth.variation.distort import draw_distorted
from san.synth.variation.page import write_glyphs

Laid = tuple[Expression, list[PlacedGlyph]]


def laid_out(composer: Composer, known: set[str], count: int) -> list[Laid]:
    """Formulas whose symbols the network knows, each by some writer."""
    bank = composer.bank
    found: list[Laid] = []
    seed = 0
    while len(found) < count:
        random = RandomStream(np.random.default_rng(1000 + seed))
        seed += 1
        tree = parse(random.choice(composer.formulas))
        names = {visit.symbol.name for visit in tree.walk()}
        if names <= known & bank.by_name.keys():
            writers = [random.choice(bank.expressions).writer for _ in range(2)]
            chosen = max(writers, key=lambda writer: bank.count_known(writer, names))
            writer = ExpressionWriter(bank, composer.style, chosen, random, composer.config.layout)
            found.append((tree, Layout(writer).expression(tree)))
    return found


def as_written(bank: GlyphBank, known: set[str], count: int) -> list[Laid]:
    """Real ink, every symbol in its place."""
    rng = np.random.default_rng(0)
    found: list[Laid] = []
    while len(found) < count:
        own = bank.expressions[int(rng.integers(len(bank.expressions)))]
        if own.aligned and set(own.outline.names) <= known:
            corners = [(glyph, *bank.box[glyph][:2]) for glyph in range(own.first, own.last)]
            placed = [PlacedGlyph(glyph, x, y, 1.0, 1.0, x, y) for glyph, x, y in corners]
            found.append((own.tree, placed))
    return found


def drawn(blender: Blender, pages: Sequence[Laid], ways: Sequence[Way]) -> list[SynthSample]:
    """All in the same way but for the blend; without ways, none."""
    made = []
    for seed, (tree, placed) in enumerate(pages):
        blend = (
            blender.expression(RandomStream(np.random.default_rng(seed)), ways) if ways else None
        )
        page = write_glyphs(blender.bank, placed, blend)
        picture, _ = draw_distorted(
            page, DistortionConfig(), RandomStream(np.random.default_rng(seed))
        )
        made.append(SynthSample(picture, tree, np.empty((0, 4), np.float32)))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pack", type=Path, default=Path("packs/crohme-train.npz"))
    parser.add_argument("--glyphs", type=Path, default=Path("packs/photo-glyphs.npz"))
    parser.add_argument("--formulas", default="packs/formulas.txt")
    parser.add_argument("--photo-formulas", default="packs/photo-formulas.txt")
    parser.add_argument("--count", type=int, default=300, help="how many are read")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    bank = build_bank(Pack.load(asked.pack), photo_glyphs=Pack.load(asked.glyphs))
    blender = Blender(bank)
    start = seconds(lambda: blender.shapes)
    shapes = blender.shapes
    size = shapes.strokes.nbytes + shapes.positions.nbytes + shapes.sides.nbytes
    print(f"shapes: {start:.1f} s, {size / 1e6:.0f} MB")
    formulas, photo_formulas = read_lines(asked.formulas), read_lines(asked.photo_formulas)
    synth = SynthConfig()
    for what, config, texts in (
        ("composed", synth.composer(synth.composed, synth.composed_distortion), formulas),
        ("varied", synth.composer(synth.varied, synth.distortion), formulas),
        ("photo_style", synth.photo_composer, photo_formulas),
    ):
        rates = [
            speed(Composer(bank, texts, replace(config, blend_share=share), blender))
            for share in (0.0, 0.5)
        ]
        print(f"{what:10}{rates[0]:8,.0f} expressions/s, half of them blended {rates[1]:,.0f}")
    engine = OnnxEngine(load_models(NETWORK)).on_one_core()
    known = set(engine.vocabulary.targets)
    both = {
        "laid out anew": laid_out(Composer(bank, formulas), known, asked.count),
        "real ink": as_written(bank, known, asked.count),
    }
    for what, pages in both.items():
        show = partial(drawn, blender, pages)
        read(engine, show(()), f"{what}, not blended")
        read(engine, show(blender.ways), f"{what}, blended")
        for name, way in zip(("towards", "away", "transferred"), blender.ways, strict=True):
            read(engine, show((way,)), f"{what}, blended {name}")


if __name__ == "__main__":
    run_or_exit(main)
