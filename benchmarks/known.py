"""What a formula gains when one of its misread symbols is known, on ink of CROHME 2014.

    python benchmarks/known.py [--every 6]

Of each formula that is read wrongly, the first symbol that has the strokes of a true one and
another name is corrected, and the ink is read again with that symbol known. Needs the corpus
(SAN_DATA, or shared/data).
"""

import argparse
from collections import Counter
from itertools import islice

from corpora import CROHME
from san.errors import SanError, run_or_exit
from san.grammar import Expression, parse
from san.ink import Sheet, read_many
from san.reader import AnnotatedInk, Formula, KnownSymbol, Recognizer


def correction(formula: Formula, sheet: Sheet) -> KnownSymbol | None:
    """The first symbol with another name than its ink has."""
    true = {frozenset(glyph.strokes): glyph.label for glyph in sheet.glyphs}
    for symbol in formula.symbols:
        label = true.get(frozenset(symbol.strokes or ()), symbol.name)
        if label != symbol.name and (symbol.name, label) != (r"\frac", "-"):
            return KnownSymbol(label, tuple(symbol.strokes or ()))
    return None


def missing(tree: Expression, truth: Expression) -> int:
    """How many of the true symbols are not among those that were read."""
    names = (Counter(visit.symbol.name for visit in one.walk()) for one in (truth, tree))
    true, read = names
    return (true - read).total()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=6, help="only each so-many-th sheet")
    options = parser.parse_args()
    sheets = read_many(CROHME / "test2014.inkml.zip", on_skip=lambda *_: None)
    reader = Recognizer()
    corrected = held = right = more = less = 0
    for sheet in islice(sheets, 0, None, options.every):
        try:
            truth, formula = parse(sheet.truth or ""), reader.read(sheet)
            known = correction(formula, sheet) if formula.expression != truth else None
            if known is None:
                continue
            again = reader.read(AnnotatedInk(sheet.ink, (known,)))
        except SanError:
            continue
        corrected += 1
        held += any(
            one.name == known.name and one.strokes == known.strokes for one in again.symbols
        )
        right += again.expression == truth
        others = missing(again.expression, truth) - missing(formula.expression, truth)
        more += others < -1  # of the others, too
        less += others > 0
    print(
        f"{corrected} corrected: {held} held, {right} right now, others better {more}, worse {less}"
    )


if __name__ == "__main__":
    run_or_exit(main)
