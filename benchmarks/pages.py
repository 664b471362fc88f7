"""How well pages are read: sheets of 2 to 4 single formulas by one writer, one below the other.

    python benchmarks/pages.py [--corpus test2014] [--count 200] [--kinds ink bitmap photograph]

Each sheet is read as ink, as a bitmap and as a simulated photograph, and each of its formulas in
the same kind by itself. Counts sheets with the right number of formulas, formulas that are read
rightly, and sheets that lose a line in silence: where one formula stands for two lines or more, or
a line is nowhere, with a confidence above 50%.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable
from itertools import compress

import numpy as np

from corpora import CROHME
from san.data.stacked_sheets import StackedSheet, stacked_sheets
from san.errors import SanError, run_or_exit
from san.grammar import Expression, parse
from san.ink import Ink, draw
from san.ink.strokes import box_of
from san.reader import Failure, Formula, Page, Recognizer, Source
from san.synth.photo.paper import photograph, random_page

FAIRLY_SURE = 0.5


def as_photograph(ink: Ink, seed: int) -> Source:
    return photograph(draw(ink), random_page(seed), seed)


KINDS: dict[str, Callable[[Ink, int], Source]] = {
    "ink": lambda ink, seed: ink,
    "bitmap": lambda ink, seed: draw(ink),
    "photograph": as_photograph,
}


def truth_of(latex: str | None) -> Expression | None:
    try:
        return parse(latex or "")
    except SanError:
        return None


def truths_of(sheet: StackedSheet) -> list[Expression | None]:
    return [truth_of(formula.truth) for formula in sheet.formulas]


def matched(truths: list[Expression | None], read: list[Formula]) -> int:
    """How many truths were read, in order: the longest common subsequence."""
    best = np.zeros((len(truths) + 1, len(read) + 1), int)
    for one, truth in enumerate(truths, 1):
        for other, formula in enumerate(read, 1):
            same = truth is not None and formula.expression == truth
            best[one, other] = max(
                best[one - 1, other], best[one, other - 1], best[one - 1, other - 1] + same
            )
    return int(best[-1, -1])


def loses_a_line(sheet: StackedSheet, page: Page) -> bool:
    """Whether a formula that is fairly sure lies over the middles of several lines. Heights are
    shares of all that is written: a photograph has other lengths than the ink."""
    boxes = [*page.boxes, *(block.box for block in page.left_out)]
    top, bottom = min(box.top for box in boxes), max(box.bottom for box in boxes)
    lines = [
        box_of(compress(sheet.ink.strokes, sheet.owners == number))
        for number in range(len(sheet.formulas))
    ]
    whole = sheet.ink.box
    middles = [((line.top + line.bottom) / 2 - whole.top) / whole.height for line in lines]
    lost = []
    for formula, box in zip(page.formulas, page.boxes, strict=True):
        ends = [(side - top) / (bottom - top) for side in (box.top, box.bottom)]
        if sum(ends[0] <= middle <= ends[1] for middle in middles) > 1:
            lost.append(formula)
    if not lost and len(boxes) < len(lines):  # somewhere
        lost = [*page.formulas]
    return any(formula.confidence > FAIRLY_SURE for formula in lost)


def measure(reader: Recognizer, sheets: list[StackedSheet], kind: str) -> Counter[str]:
    """Reads all sheets; prints a line for each that has another number of formulas."""
    counts: Counter[str] = Counter()
    sources = (KINDS[kind](sheet.ink, number) for number, sheet in enumerate(sheets))
    for number, (sheet, page) in enumerate(zip(sheets, reader.read_pages(sources), strict=True)):
        read = [] if isinstance(page, Failure) else list(page)
        truths = truths_of(sheet)
        counts["sheets"] += 1
        counts["right number"] += len(read) == len(truths)
        counts["formulas"] += len(truths)
        counts["right"] += matched(truths, read)
        counts["lost and sure"] += not isinstance(page, Failure) and loses_a_line(sheet, page)
        if len(read) != len(truths):
            found = [f"{one.latex} ({one.confidence:.0%})" for one in read]
            print(f"sheet {number}, {kind}: {len(read)} of {len(truths)}: {found}", flush=True)
    return counts


def right_alone(reader: Recognizer, sheets: list[StackedSheet], kind: str) -> int:
    """Formulas that are read rightly one by one."""
    formulas = [formula.ink for sheet in sheets for formula in sheet.formulas]
    truths = [truth for sheet in sheets for truth in truths_of(sheet)]
    sources = (KINDS[kind](ink, number) for number, ink in enumerate(formulas))
    return sum(
        truth is not None and not isinstance(read, Failure) and read.expression == truth
        for truth, read in zip(truths, reader.read_many(sources), strict=True)
    )


def report(kind: str, counts: Counter[str], alone: int, seconds: float) -> str:
    sheets, formulas = counts["sheets"], counts["formulas"]
    return (
        f"{kind}: {sheets} sheets, right number {counts['right number'] / sheets:.1%}, "
        f"lost a line and sure {counts['lost and sure'] / sheets:.1%}; "
        f"{formulas} formulas, right {counts['right'] / formulas:.1%}, "
        f"one by one {alone / formulas:.1%}; {seconds / sheets:.2f} s of CPU a sheet"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="test2014")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    reader = Recognizer(threads=options.threads)
    corpus = CROHME / f"{options.corpus}.inkml.zip"
    sheets = list(stacked_sheets(corpus, options.count, options.seed))
    for kind in options.kinds:
        began = time.process_time()
        counts = measure(reader, sheets, kind)
        seconds = time.process_time() - began
        alone = right_alone(reader, sheets, kind)
        print(report(kind, counts, alone, seconds), flush=True)


if __name__ == "__main__":
    run_or_exit(main)
