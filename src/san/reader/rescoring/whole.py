"""Readings of several lines that are not whole: a row is missing, or two cells became one.

Design choices
- No language model has a say: what stands in the cells of a matrix is anybody's guess, and one that
  knows single formulas would rather have one line. But some readings cannot be right, whatever the
  cells hold: rows of different lengths, and ink of which no symbol accounts.
- Only such a reading is read again, with a wider beam than others: the reading that is whole
  stands far behind, since every step of a further row costs some probability.
- The most probable reading that is whole is taken; where none is, the first stays.
"""

from collections.abc import Sequence

from san.decoding import Reading
from san.grammar.grids import is_ragged
from san.reader.prepared import PreparedImage
from san.reader.rescoring.second_pass import Beam, Candidate, Pass, merged
from san.reader.symbols import symbols_and_unread

WIDE_BEAM = Beam(10, 0.002)
MAX_UNREAD_SHARE = 0.02
"""Of the ink, which a whole reading may leave."""


def is_whole(reading: Reading, prepared: PreparedImage) -> bool:
    """Whether a reading of several lines may be right, by its rows and by the ink it leaves."""
    if is_ragged(reading.expression):
        return False
    return symbols_and_unread(reading, prepared).unread_share <= MAX_UNREAD_SHARE


def whole_candidates(passes: Sequence[Pass]) -> list[Candidate]:
    """Those that are whole, the most probable first."""
    return [one for one in merged(passes) if is_whole(one.reading, one.prepared)]
