"""Where two sequences differ, with as few edits as possible."""

from collections.abc import Hashable, Sequence

from rapidfuzz.distance import Levenshtein


def differing(one: Sequence[Hashable], other: Sequence[Hashable]) -> tuple[set[int], set[int]]:
    """The places of each that have no equal in the other."""
    here: set[int] = set()
    there: set[int] = set()
    for edit in Levenshtein.opcodes(one, other):
        if edit.tag != "equal":
            here.update(range(edit.src_start, edit.src_end))
            there.update(range(edit.dest_start, edit.dest_end))
    return here, there
