"""How fast expressions are composed and drawn, and how like real ink they are.

    python benchmarks/compose.py [--pack packs/crohme-train.npz] [--formulas packs/formulas.txt]
                                 [--photo-formulas packs/photo-formulas.txt]
                                 [--line-formulas packs/line-formulas.txt]
                                 [--print-fonts packs/print.npz]
    python benchmarks/compose.py --figure docs/figures/composed.png      # of our own alphabet

Times are of this process alone (CPU time, one core), the best of some rounds: whatever else runs on
the machine counts as little as it can. Without a pack it takes our own copybook.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from san.data.contact_sheet import ContactSheet
from san.data.pack import Pack
from san.data.print_fonts import load_print_fonts
from san.errors import run_or_exit
from san.grammar import parse
from san.ink import Pen, draw
from san.synth.composer import Composer
from san.synth.config import ComposerConfig, CompositionConfig, SynthConfig
from san.synth.formulas.invent_lines import LineInventor
from san.synth.formulas.text import read_lines
from san.synth.glyphs.bank import WrittenExpression
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.place import Layout
from san.synth.layout.writer import ExpressionWriter
from san.synth.printed.printed import Printed
from san.synth.random_stream import RandomStream
from san.synth.samples import InkSamples
from san.synth.variation.page import InkPage, copy_written, write_glyphs

SHARES = ("real", "varied", "joined", "formula", "grafted", "invented")
OWN = [r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}", r"\sum_{i=1}^{n}i^{2}", "(a+b)^{2}=a^{2}+2ab+b^{2}"]
ROUNDS, COUNT = 5, 400
LENGTHS = ((1, 1), (2, 4), (5, 9), (10, 19), (20, 99))


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def speed(composer: Composer | Printed) -> float:
    """Expressions a second in the best round."""

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(COUNT):
            composer.sample(rng)

    return COUNT / min(seconds(lambda seed=seed: work(seed)) for seed in range(ROUNDS))  # type: ignore[misc]


def extent(page: InkPage) -> tuple[float, float, float]:
    """Height, width and share of ink of the picture, at the field's own scale."""
    picture, border = draw(page.ink()), Pen().border
    height, width = picture.shape
    return max(height - border, 1), max(width - border, 1), float((picture > 0).mean())


def likeness(composer: Composer) -> None:
    """The same formulas by a person and laid out anew, in another hand: quartiles of the ratio."""
    rng = np.random.default_rng(0)
    bank = composer.bank
    known: list[WrittenExpression] = [
        own
        for own in bank.expressions
        if own.aligned and set(own.outline.names) <= bank.by_name.keys()
    ]
    rows = []
    for _ in range(2000):
        own, other = (known[rng.integers(len(known))] for _ in range(2))
        writer = ExpressionWriter(
            bank, composer.style, other.writer, RandomStream(rng), composer.config.layout
        )
        anew = Layout(writer).expression(own.tree)
        ratios = np.divide(extent(write_glyphs(bank, anew)), extent(copy_written(bank, own)))
        rows.append((len(own.outline), *ratios))
    table = np.array(rows)
    print("\nlaid out anew over real: quartiles of   height              width               ink")
    for low, high in LENGTHS:
        of = table[(table[:, 0] >= low) & (table[:, 0] <= high), 1:]
        if len(of):
            quartiles = np.percentile(of, (25, 50, 75), axis=0).T
            shown = "   ".join(" ".join(f"{value:5.2f}" for value in row) for row in quartiles)
            print(f"{low:3} to {high:2} symbols ({len(of):5,})          {shown}")


def several_lines(composer: Composer, formulas: Path) -> None:
    """What a symbol costs in systems and matrices, over what it costs in single formulas."""
    bank, config = composer.bank, SynthConfig()
    lines = read_lines(formulas) if formulas.is_file() else []
    inventor = LineInventor(bank.names, config.invent_lines, config.invent)
    several = Composer(bank, lines, ComposerConfig(config.lines.ink_composition), inventor=inventor)
    single = Composer(bank, composer.formulas, ComposerConfig(config.composed))
    costs = []
    for one in (single, several):
        one.sample(np.random.default_rng(0))  # styles are made by the first

        def work(seed: int, one: Composer = one) -> float:
            rng = np.random.default_rng(seed)
            symbols: list[int] = []
            spent = seconds(lambda: symbols.extend(len(one.sample(rng).tree) for _ in range(COUNT)))
            return spent / sum(symbols)

        costs.append(1e6 * min(map(work, range(ROUNDS))))
    print(
        f"\na symbol takes {costs[0]:.0f} us in composed formulas, {costs[1]:.0f} in several lines"
        f" ({costs[1] / costs[0]:.2f} times)"
    )


def figure(path: Path) -> None:
    """Formulas in hands of our own, varied as in training."""
    composer = Composer(Copybook())
    formulas = [
        *OWN,
        r"\int_{0}^{1}(\frac{x}{y+1})^{2}dx",
        r"\sqrt[3]{\frac{a_{1}}{a_{2}}}\leq10^{-5}",
        r"\lim_{n\rightarrow\infty}\frac{\sin x_{n}}{x_{n}}=1",
    ]
    sheet = ContactSheet(2 * len(formulas), 2 * len(formulas))
    for seed in range(2 * len(formulas)):
        formula = formulas[seed // 2]
        sheet.add(composer.compose(parse(formula), np.random.default_rng(seed)).picture, formula)
    sheet.picture().save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pack", type=Path, default=Path("packs/crohme-train.npz"))
    parser.add_argument("--formulas", type=Path, default=Path("packs/formulas.txt"))
    parser.add_argument("--photo-formulas", type=Path, default=Path("packs/photo-formulas.txt"))
    parser.add_argument("--line-formulas", type=Path, default=Path("packs/line-formulas.txt"))
    parser.add_argument("--print-fonts", type=Path, default=Path("packs/print.npz"))
    parser.add_argument("--figure", type=Path, help="draw this picture and do nothing else")
    asked = parser.parse_args()
    if asked.figure:
        figure(asked.figure)
        return
    cv2.setNumThreads(1)
    lines = read_lines(asked.formulas) if asked.formulas.is_file() else OWN
    samples: InkSamples = Pack.load(asked.pack) if asked.pack.is_file() else Copybook()
    print(f"ink: {asked.pack if asked.pack.is_file() else 'our own copybook'}")
    made: list[Composer] = []
    start = seconds(lambda: made.append(Composer(samples, lines)))
    composer = made[0]
    aligned = sum(own.aligned for own in composer.bank.expressions)
    print(f"start: {start:.1f} s; {aligned:,} of {len(composer.bank.expressions):,} aligned")
    for share in SHARES:
        only = CompositionConfig(**{name: float(name == share) for name in SHARES})  # type: ignore[arg-type]
        one = Composer(composer.bank, lines, ComposerConfig(only))
        print(f"{share:10}{speed(one):8,.0f} expressions/s")
    print(f"{'the mix':10}{speed(composer):8,.0f} expressions/s")
    if asked.photo_formulas.is_file():
        photo_formulas = read_lines(asked.photo_formulas)
        only = CompositionConfig(real=0, varied=0, joined=0, grafted=0, invented=0)
        one = Composer(composer.bank, photo_formulas, ComposerConfig(only))
        print(f"{'photo':10}{speed(one):8,.0f} expressions/s")
    if asked.print_fonts.is_file():
        faces = load_print_fonts(asked.print_fonts)
        printed = Printed(faces, [(composer.formulas, 1.0)], SynthConfig().printed)
        print(f"{'printed':10}{speed(printed):8,.0f} expressions/s")
    several_lines(composer, asked.line_formulas)
    likeness(composer)


if __name__ == "__main__":
    run_or_exit(main)
