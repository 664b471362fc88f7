"""Which connected components of ink are which symbol, by a network's attention along the true tree.

Design choices
- Forced decoding: the steps of the true tree are taken level by level, each with its true parent's
  state. Nothing is decided, so an error of the network's leads no later step astray.
- A symbol's claim on a component is the part of its attention that lies there. Attention is coarse
  and spills over to neighbours, so claims compete for some rounds: what others claim more is given
  up, and the symbol's own components gain.
- Two symbols written in one go are one component. The one that gets none shows that: the component
  that it attended to most is nobody's then.
- Splitting such a component would be guessing where one symbol ends: there are enough others.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Engine, Floats
from san.errors import SanError
from san.grammar.productions import MARKS, START, by_level, unfold
from san.grammar.tree import Expression
from san.images.clean.components import Components, Labels
from san.synth.extraction.config import ExtractionConfig


class ForcedDecoding(NamedTuple):
    """Of the steps that write symbols, in the order of the walk."""

    probabilities: Floats  # of each symbol, given all that comes before it
    attention: Floats  # symbols x rows x columns


class Assignment(NamedTuple):
    """The components of one symbol, and whether they are surely its own and all of it."""

    components: tuple[int, ...]
    certain: bool


def decode_forced(engine: Engine, picture: NDArray[np.uint8], tree: Expression) -> ForcedDecoding:
    """Walk along a tree; SanError where the network does not know a symbol of it."""
    vocabulary = engine.vocabulary
    walk = unfold(tree)
    order = sorted(range(len(walk)), key=lambda number: walk[number].depth)
    steps = by_level(walk)
    if unknown := {step.target for step in steps} - set(vocabulary.targets):
        raise SanError(f"the network does not know {min(unknown)}")
    memory = engine.encode([(picture > 127).astype(np.float32)])
    hidden, path = memory.hidden, memory.path
    first = 0  # step of the level before
    probabilities: list[float] = []
    attention = []
    while len(probabilities) < len(steps):
        start = len(probabilities)
        level = [step for step in steps[start:] if step.depth == steps[start].depth]
        parent = np.array([max(step.parent - first, 0) for step in level])
        partner = np.array([vocabulary.number(step.partner) for step in level])
        before = path[parent]
        symbols, _, hidden, path = engine.step(
            memory, np.zeros(len(level), np.int64), hidden[parent], before, partner
        )
        targets = [vocabulary.number(step.target) for step in level]
        probabilities += _softmax(symbols)[range(len(level)), targets].tolist()
        attention.append(np.asarray(path - before))
        first = start
    together = np.concatenate(attention)
    place = {old: new for new, old in enumerate(order)}
    wanted = [place[number] for number, step in enumerate(walk) if step.target not in MARKS]
    return ForcedDecoding(np.array(probabilities, np.float32)[wanted], together[wanted])


def _softmax(scores: Floats) -> Floats:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def first_symbol_probabilities(engine: Engine, picture: NDArray[np.uint8]) -> dict[str, float]:
    """How probable each symbol is to be the first of a picture."""
    vocabulary = engine.vocabulary
    memory = engine.encode([(picture > 127).astype(np.float32)])
    start = np.array([vocabulary.number(START)])
    symbols = engine.step(memory, np.zeros(1, np.int64), memory.hidden, memory.path, start).symbols
    return dict(zip(vocabulary.targets, _softmax(symbols)[0].tolist(), strict=True))


def assign_components(
    components: Components,
    attention: Floats,
    stride: int,
    config: ExtractionConfig = ExtractionConfig(),
) -> list[Assignment]:
    """For each symbol (symbols x rows x columns of attention) its components, counted from 0."""
    count = len(components.stats)
    if not count or not len(attention):
        return [Assignment((), False)] * len(attention)
    claims = attention_on_components(components, attention, stride)
    share = claims / np.maximum(claims.sum(axis=0), 1e-9)
    settled = claims
    for _ in range(config.rounds):
        part = settled / np.maximum(settled.sum(axis=0), 1e-9)
        settled = settled * part
        settled /= np.maximum(settled.sum(axis=1, keepdims=True), 1e-9)
    part = settled / np.maximum(settled.sum(axis=0), 1e-9)
    owner = np.where(claims.max(axis=0) >= config.min_attention, part.argmax(axis=0), -1)
    every = range(count)
    clear = (share[owner, every] > config.min_share) & (part[owner, every] > config.min_final_share)
    # Who has nothing attended to something that is another's, too.
    for symbol in set(range(len(attention))) - set(owner.tolist()):
        clear[claims[symbol].argmax()] = False
    assignments = []
    for symbol in range(len(attention)):
        owned = np.flatnonzero(owner == symbol)
        focused = claims[symbol, owned].sum() > config.min_focus * claims[symbol].sum()
        certain = bool(len(owned) and clear[owned].all() and focused)
        assignments.append(Assignment(tuple(owned.tolist()), certain))
    return assignments


def attention_on_components(
    components: Components, attention: Floats, stride: int
) -> NDArray[np.float64]:
    """Symbols x components: how much of a symbol's attention on ink lies on each component."""
    count = len(components.stats)
    return np.stack([_claims(components.labels, symbol, stride, count) for symbol in attention])


def _claims(labels: Labels, attention: Floats, stride: int, count: int) -> NDArray[np.float64]:
    """Those of one symbol."""
    rows, columns = (side * stride for side in attention.shape)
    smooth = cv2.resize(attention, (columns, rows), interpolation=cv2.INTER_LINEAR)
    height, width = labels.shape
    inside = labels > 0
    weights = np.maximum(smooth[:height, :width][inside], 0)
    claims = np.bincount(labels[inside], weights, count + 1)[1:]
    return np.asarray(claims / max(claims.sum(), 1e-9))
