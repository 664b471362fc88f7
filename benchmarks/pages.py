"""How well pages are read: sheets of 2 to 4 single formulas by one writer, one below the other.

    python benchmarks/pages.py [--corpus test2014] [--count 200] [--kinds ink bitmap photograph]

Each sheet is read as ink, as a bitmap and as a simulated photograph, and each of its formulas in
the same kind by itself. Counts sheets with the right number of formulas, formulas that are read
rightly, and sheets that lose a line in silence: where one formula stands for two lines or more,
with a confidence above 50%.
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
from san.reader import Formula, Page, Recognizer, Source
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
    for formula, box in zip(page.formulas, page.boxes, strict=True):
        ends = [(side - top) / (bottom - top) for side in (box.top, box.bottom)]
        inside = sum(ends[0] <= middle <= ends[1] for middle in middles)
        if inside > 1 and formula.confidence > FAIRLY_SURE:
            return True
    return False


def measure(
    reader: Recognizer, sheet: StackedSheet, kind: str, seed: int, alone: bool, counts: Counter[str]
) -> str:
    """Adds to the counts; says in a line what went wrong, if the number of formulas did."""
    source_of = KINDS[kind]
    truths = [truth_of(formula.truth) for formula in sheet.formulas]
    began = time.process_time()
    try:
        page = reader.read_page(source_of(sheet.ink, seed))
    except SanError:
        page = None
    read = list(page or ())
    counts["seconds"] += round(1000 * (time.process_time() - began))
    counts["sheets"] += 1
    counts["right number"] += len(read) == len(truths)
    counts["formulas"] += len(truths)
    counts["right"] += matched(truths, read)
    counts["lost and sure"] += page is not None and loses_a_line(sheet, page)
    if alone:
        for number, (formula, truth) in enumerate(zip(sheet.formulas, truths, strict=True)):
            try:
                one = reader.read(source_of(formula.ink, 10 * seed + number))
            except SanError:
                continue
            counts["right alone"] += truth is not None and one.expression == truth
    if len(read) == len(truths):
        return ""
    return f"{len(read)} of {len(truths)}: {[one.latex for one in read]}"


def report(kind: str, counts: Counter[str]) -> str:
    sheets, formulas = counts["sheets"], counts["formulas"]
    return (
        f"{kind}: {sheets} sheets, right number {counts['right number'] / sheets:.1%}, "
        f"lost a line and sure {counts['lost and sure'] / sheets:.1%}; "
        f"{formulas} formulas, right {counts['right'] / formulas:.1%}, "
        f"alone {counts['right alone'] / formulas:.1%}; "
        f"{counts['seconds'] / 1000 / sheets:.2f} s of CPU a sheet"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="test2014")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--no-alone", action="store_true", help="do not read formulas singly")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    reader = Recognizer(threads=options.threads)
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in options.kinds}
    sheets = stacked_sheets(CROHME / f"{options.corpus}.inkml.zip", options.count, options.seed)
    for number, sheet in enumerate(sheets):
        for kind in options.kinds:
            wrong = measure(reader, sheet, kind, number, not options.no_alone, counts[kind])
            if wrong:
                print(f"sheet {number}, {kind}: {wrong}", flush=True)
    for kind in options.kinds:
        print(report(kind, counts[kind]))


if __name__ == "__main__":
    run_or_exit(main)
