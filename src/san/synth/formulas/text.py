"""Files of formulas to compose: chosen once from text, with the labels that are excluded.

    lines = prepare(folder, [test2014, test2016], vocabulary)      # where the corpora are
    composer = Composer(pack, lines)                               # where the network is trained

Design choices
- A file of formulas stands for itself: canonical LaTeX, a line each, in an order that a fixed seed
  gave it. Lines that begin with `#` are the fingerprints of labels that are never composed: those
  of the test sets. They travel with the formulas, for the tests themselves do not.
- `sin` typed for `\\sin` has the tree of letters and looks like the function. So such formulas are
  left out.
- The sources differ in kind. HME100K is school arithmetic; CROHME, which the network is to read, is
  not. So each source may give so many formulas and no more; or a file is made of one source alone.
"""

import glob
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from san.data.pack import Pack, is_pack
from san.errors import SanError
from san.files import read_file
from san.grammar import Expression, GrammarError, parse, to_latex
from san.grammar.constructs import MATRIX
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.synth.formulas.config import FormulaTextConfig

SPELLED_FUNCTION = re.compile("sin|cos|tan|log|lim")
COMMAND = re.compile(r"\\[a-zA-Z]+")
FINGERPRINT_LENGTH = 16
"""Hexadecimal digits: enough to tell any two formulas that will ever be met here apart. No knob:
files of formulas have it."""


def fingerprint(tree: Expression) -> str:
    """Identifies a tree without giving it away."""
    return hashlib.sha256(to_latex(tree).encode()).hexdigest()[:FINGERPRINT_LENGTH]


def is_excluded(tree: Expression, marks: Collection[str]) -> bool:
    """Whether a tree must never be made, by the fingerprints of those: it is a test's label."""
    return bool(marks) and fingerprint(tree) in marks


def prepare(
    folder: Path,
    tests: Sequence[Path],
    vocabulary: Vocabulary,
    seed: int = 0,
    only: str = "",
    max_formulas: int | None = None,
    config: FormulaTextConfig = FormulaTextConfig(),
) -> list[str]:
    """The lines of a file of formulas, from the `.txt` files of a folder.

    `tests` are packs, or files of labels, id<TAB>LaTeX a line: none of them is composed. `only` is
    how the names of the sources to take begin; `max_formulas`, instead of the configuration's, how
    many formulas each of them gives, 0 being all.
    """
    files = sorted(folder.glob(f"{glob.escape(only)}*.txt"))
    sources = {path.stem: read_lines(path) for path in files}
    if not sources:
        raise SanError(
            f"{folder}: no .txt files with formulas in it" + (f" ({only}*)" if only else "")
        )
    labels = [label for path in tests for label in _labels(path)]
    return select(sources, labels, vocabulary, seed, max_formulas, config)


def fingerprints(tests: Iterable[Path]) -> frozenset[str]:
    """Of all labels of some packs or files of labels."""
    trees = (_tree(label) for path in tests for label in _labels(path))
    return frozenset(fingerprint(tree) for tree in trees if tree)


def select(
    sources: Mapping[str, Iterable[str]],
    excluded: Iterable[str],
    vocabulary: Vocabulary,
    seed: int = 0,
    max_formulas: int | None = None,
    config: FormulaTextConfig = FormulaTextConfig(),
) -> list[str]:
    """The same from texts: formulas by the name of their source, and labels never to compose."""
    marks = sorted({fingerprint(tree) for tree in map(_tree, excluded) if tree})
    seen = set(marks)
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for name in sorted(sources):
        usable = list(_usable(sources[name], vocabulary, seen, config))
        limit = config.max_formulas.of(name)
        if max_formulas is not None:
            limit = max_formulas or len(usable)
        chosen += [usable[place] for place in rng.permutation(len(usable))[:limit]]
    if not chosen:
        raise SanError("no formula is left: none has known symbols only")
    return [f"#{mark}" for mark in marks] + [
        chosen[place] for place in rng.permutation(len(chosen))
    ]


def read_lines(path: str | Path) -> list[str]:
    """The lines of a text file; none where no path is given."""
    try:
        text = read_file(Path(path)).decode("utf-8") if path else ""
        return text.split("\n") if text else []
    except UnicodeDecodeError as error:
        raise SanError(f"{path}: not UTF-8 text: byte {error.start + 1}") from error


def split(lines: Iterable[str]) -> tuple[list[str], frozenset[str]]:
    """The formulas among the lines of a file, and the fingerprints."""
    formulas, marks = [], set()
    for line in map(str.strip, lines):
        if line.startswith("#"):
            marks.add(line[1:])
        elif line:
            formulas.append(line)
    return formulas, frozenset(marks)


def _usable(
    texts: Iterable[str], vocabulary: Vocabulary, seen: set[str], config: FormulaTextConfig
) -> Iterable[str]:
    """Each formula once, of known symbols, and not too long; `seen` grows."""
    known = frozenset(vocabulary.symbols)
    for text in texts:
        tree = _tree(text)
        if not tree:
            continue
        names = {visit.symbol.name for visit in tree.walk()}
        max_steps = config.max_line_steps if MATRIX in names else config.max_steps
        # A script on nothing is in no vocabulary either: no layout knows where to put it.
        if not names <= known or len(unfold(tree)) > max_steps:
            continue
        mark, latex = fingerprint(tree), to_latex(tree)
        if mark not in seen and not SPELLED_FUNCTION.search(COMMAND.sub(" ", latex)):
            seen.add(mark)
            yield latex


def _tree(text: str) -> Expression | None:
    try:
        return parse(text)
    except GrammarError:
        return None  # what is no formula is never composed


def _labels(path: Path) -> list[str]:
    if is_pack(path):
        return list(Pack.load(path).latex)
    return [line.partition("\t")[2] for line in read_lines(path)]
