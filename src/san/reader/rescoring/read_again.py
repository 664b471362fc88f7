"""Which first readings are read again, by whom, and what becomes of it."""

from dataclasses import dataclass, replace
from functools import partial

from san.decoding import Reading
from san.decoding.confidence import Calibration
from san.decoding.engine import DecodingLimits, Engine, Memory
from san.reader.cancellable import CancelCheck, CancellableEngine
from san.reader.pages.prose import is_prose
from san.reader.prepared import PreparedImage
from san.reader.rescoring.opinion import SecondOpinion
from san.reader.rescoring.rescorer import Rescorer
from san.reader.rescoring.second_pass import (
    Candidate,
    all_passes,
    is_unsure,
    rescored,
    second_pass,
)
from san.reader.rescoring.stroke_network import StrokeNetwork
from san.reader.rescoring.whole import WIDE_BEAM, is_whole, whole_candidates

MIN_HOPEFUL = 1e-9
"""Probability of a reading of several lines that is worth a second pass. Of 97 photographs of some
the least is 0.003; a page of words has less than this, and would take fifteen seconds more."""


@dataclass(frozen=True)
class ReadAgain:
    """Reads again what the first pass left in doubt. Safe to share among threads."""

    rescorer: Rescorer
    calibration: Calibration
    limits: DecodingLimits
    opinion: SecondOpinion | None
    strokes: StrokeNetwork | None = None  # where rescoring was fitted for it

    def on_one_core(self) -> "ReadAgain":
        return replace(self, opinion=self.opinion and self.opinion.on_one_core())

    def candidates(
        self,
        engine: Engine,
        prepared: PreparedImage,
        memory: Memory,
        first: Reading,
        check: CancelCheck | None = None,
    ) -> list[Candidate]:
        """What a second pass finds, where one is worth it; of prose nothing better is found, and it
        is long. Of several lines, which the language model does not know, the most probable reading
        is mostly one that left out a line: only what is plainly not whole is read again."""
        tree = first.expression
        if is_prose(tree):
            return []
        again = (engine, prepared, memory, self.limits)
        if self.rescorer.can_judge(tree):
            if not is_unsure(first):
                return []
            other = partial(self._other, check) if self.opinion else None
            return rescored(all_passes(*again, other), self.rescorer, self.strokes)
        if first.probability < MIN_HOPEFUL or is_whole(first, prepared):
            return []
        candidates = whole_candidates([*second_pass(*again, WIDE_BEAM)])
        sure = self.calibration.confidences([candidate.reading for candidate in candidates])
        both = zip(candidates, sure, strict=True)
        return [candidate._replace(confidence=confidence) for candidate, confidence in both]

    def _other(self, check: CancelCheck | None) -> Engine:
        """The network that is asked for an opinion."""
        assert self.opinion is not None
        return CancellableEngine(self.opinion.engine, check) if check else self.opinion.engine
