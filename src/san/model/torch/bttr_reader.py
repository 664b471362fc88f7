"""BTTR as a reader: greedily from left to right, or by beams in both directions.

With a beam, strings of either direction are scored by the other, too: of all of them the best mean
logarithm of a token's probability wins, over both directions.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from san.decoding.decisions import Numbers
from san.decoding.engine import DecodingLimits, Floats, Memory
from san.decoding.frontier import DEFAULT
from san.decoding.reading import Reading
from san.decoding.strings import String, decode_strings, readings_of
from san.grammar.vocabulary import Vocabulary
from san.model.spec import EMPTY_TARGET
from san.model.torch.bttr import BTTR, ImageCells, KeyValue
from san.model.torch.image_reader import ImageReader

State = tuple[KeyValue, ...]
MAX_STRINGS = 64
"""Rated at once: their scores take memory by length and vocabulary."""


class BTTRReader(ImageReader[BTTR]):
    def remember(self, features: Tensor, mask: Tensor) -> ImageCells:
        return self.network.decoder.image_cells(features, mask)

    def read(
        self, memory: Memory, limits: DecodingLimits = DEFAULT, beam: int = 1
    ) -> list[list[Reading]]:
        """For each image its readings, the best first; a beam of 1 is greedy."""
        images, vocabulary = len(memory.hidden), self.network.vocabulary
        forward = decode_strings(Direction(self, False), memory, images, limits.steps, beam)
        if beam > 1:
            back = decode_strings(Direction(self, True), memory, images, limits.steps, beam)
            forward = [
                self._rated(memory, image, *both)
                for image, both in enumerate(zip(forward, back, strict=True))
            ]
        return [readings_of(strings, vocabulary) for strings in forward]

    def _rated(
        self, memory: Memory, image: int, forward: list[String], back: list[String]
    ) -> list[String]:
        """Strings of both directions with the mean of both scores, the best first."""
        scores: dict[tuple[int, ...], float] = {}
        written = [string.tokens for string in forward]
        for string, other in zip(forward, self.score(memory, image, written, True), strict=True):
            scores[string.tokens] = (string.score + other) / 2
        written = [string.tokens[::-1] for string in back]
        others = self.score(memory, image, written, False)
        for tokens, string, other in zip(written, back, others, strict=True):
            scores[tokens] = (string.score + other) / 2
        strings = [String(tokens, score) for tokens, score in scores.items()]
        return sorted(strings, key=lambda string: -string.merit)

    @torch.inference_mode()
    def score(
        self, memory: Memory, image: int, strings: Sequence[tuple[int, ...]], reverse: bool
    ) -> list[float]:
        """Logarithms of the probabilities of some strings, written from left to right, of an image.

        `reverse`: from right to left.
        """
        if not strings:
            return []
        if len(strings) > MAX_STRINGS:
            rest = self.score(memory, image, strings[MAX_STRINGS:], reverse)
            return self.score(memory, image, strings[:MAX_STRINGS], reverse) + rest
        start = EMPTY_TARGET if reverse else self.network.start
        ordered = [string[::-1] if reverse else string for string in strings]
        given = [torch.tensor([start, *string]) for string in ordered]
        wanted = [torch.tensor([*string, EMPTY_TARGET]) for string in ordered]
        given_tokens = pad_sequence(given, batch_first=True).to(self.device)
        targets = pad_sequence(wanted, batch_first=True, padding_value=-1).to(self.device)
        which = torch.full((len(strings),), image, device=self.device)
        scores = self.network.decoder(memory.content.of(which), given_tokens).float()
        each = scores.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
        found: list[float] = (each * (targets >= 0)).sum(1).tolist()
        return found


class Direction:
    """One direction of a network, as `decode_strings` asks for it."""

    def __init__(self, reader: BTTRReader, reverse: bool) -> None:
        self.network, self.device, self.reverse = reader.network, reader.device, reverse

    @property
    def vocabulary(self) -> Vocabulary:
        return self.network.vocabulary

    def begin(self, memory: Memory) -> tuple[int, State]:
        start = EMPTY_TARGET if self.reverse else self.network.start
        return start, self.network.decoder.nothing_before(len(memory.hidden))

    @torch.inference_mode()
    def extend(
        self, memory: Memory, image: Numbers, state: State, token: Numbers
    ) -> tuple[Floats, State]:
        cells: ImageCells = memory.content
        which, tokens = (torch.from_numpy(rows).to(self.device) for rows in (image, token))
        scores, state = self.network.decoder.extend(cells.of(which), state, tokens)
        return scores.float().cpu().numpy(), state

    def choose(self, state: State, rows: Numbers) -> State:
        chosen = torch.from_numpy(rows).to(self.device)
        return tuple(KeyValue(*(part.index_select(0, chosen) for part in kept)) for kept in state)
