"""The paper's table 1 for labels that are at hand: how many, how long, of how many symbols.

    python -m tools.paper_statistics HME100K=train_labels.txt,test_labels.tsv CROHME=train.tsv

A file has a label a line, behind a tab where names stand before them. The paper counts tokens of
LaTeX, braces, `^` and `_` among them; beside that stand the symbols that are written, and how many
labels go below the line, into a fraction or a root.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.progress import track

from san.errors import SanError, run_or_exit
from san.files import read_file, write_file
from san.grammar import parse
from san.grammar.tree import NOTHING

MAX_BYTES = 1 << 26
HEAD = ("", "labels", "kinds of tokens", "most tokens", "mean", "kinds of symbols", "mean symbols",
        "of several levels", "no formula")  # fmt: skip


class Statistics(NamedTuple):
    labels: int
    token_kinds: int
    most_tokens: int
    mean_tokens: float
    symbol_kinds: int
    mean_symbols: float
    nested: float  # share of formulas with more than one line of symbols
    unparsed: int


def labels_of(file: Path) -> list[str]:
    """One a line; what stands before a tab is a name."""
    text = read_file(file, MAX_BYTES).decode("utf-8", "replace")
    return [line.rpartition("\t")[2] for line in text.splitlines() if line.strip()]


def count(labels: Sequence[str]) -> Statistics:
    tokens, symbols = set[str](), set[str]()
    token_count = most = symbol_count = nested = formulas = 0
    for label in track(labels, "counting", transient=True):
        words = label.split()
        tokens.update(words)
        token_count += len(words)
        most = max(most, len(words))
        try:
            tree = parse(label)
        except SanError:
            continue
        names = [visit.symbol.name for visit in tree.walk() if visit.symbol.name != NOTHING]
        symbols.update(names)
        symbol_count += len(names)
        nested += len(names) > len(tree.symbols)
        formulas += 1
    return Statistics(
        len(labels), len(tokens), most, token_count / max(len(labels), 1), len(symbols),
        symbol_count / max(formulas, 1), nested / max(formulas, 1), len(labels) - formulas,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", metavar="NAME=FILE[,FILE]")
    parser.add_argument("-o", "--output", type=Path, help="write it there, too")
    options = parser.parse_args()
    lines = [f"| {' | '.join(HEAD)} |", f"| {' | '.join('---' for _ in HEAD)} |"]
    for corpus in options.corpora:
        name, told, files = corpus.partition("=")
        if not told:
            raise SanError(f"{corpus}: a corpus is NAME=FILE, or NAME=FILE,FILE")
        found = count([label for file in files.split(",") for label in labels_of(Path(file))])
        lines.append(
            f"| {name} | {found.labels:,} | {found.token_kinds} | {found.most_tokens} "
            f"| {found.mean_tokens:.2f} | {found.symbol_kinds} | {found.mean_symbols:.2f} "
            f"| {found.nested:.1%} | {found.unparsed} |"
        )
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.output is not None:
        write_file(options.output, text)


if __name__ == "__main__":
    run_or_exit(main)
