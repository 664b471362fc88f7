"""Beam search over trees: the frontier decoder with several hypotheses for each image.

- A hypothesis is a partial tree with its own open ends. At each depth all open ends of all
  hypotheses of all images are computed in one call, each once: an open end is known by its parent's
  row and its partner, and hypotheses that differ elsewhere share it.
- The successors of a hypothesis are its best combinations of one choice for each open end; of all
  the successors of an image, and of its trees that are done, the `width` most probable live on.
- Partial trees of one depth have different numbers of steps behind them. They are compared by
  their plain probability all the same: means over steps, or a toll for each open end, found no
  more on CROHME 2014 (docs/confidence.md).
- The greedy reading always lives on beside them, so the best is never less probable than it.
- Ways to write the same expression are one reading, the most probable of them: a reading's
  probability stays the product of its steps. Not one of the 986 beams of CROHME 2014 held two.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush, merge
from itertools import islice, pairwise
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.decisions import Choice, choose, decide, ranked_choices
from san.decoding.engine import DecodingLimits, Engine, Floats, Memory, Outcome, Rows
from san.decoding.frontier import DEFAULT
from san.decoding.reading import Reading, read_step
from san.grammar.productions import START, Partner
from san.grammar.tree import Expression
from san.grammar.vocabulary import Vocabulary

MIN_PROBABILITY = 1e-300
"""Stands for a probability of 0, which has no logarithm."""


class OpenStep(NamedTuple):
    """An S that waits for its step."""

    image: int
    parent: int  # index of its parent among the hypothesis's steps
    slot: int  # of its parent in the frontier before
    partner: Partner


class BeamStep(NamedTuple):
    """A step of a hypothesis."""

    open: OpenStep
    row: int  # of its level's outcome
    choice: Choice


class Hypothesis(NamedTuple):
    """A partial tree; done where nothing is open."""

    image: int
    levels: tuple[tuple[BeamStep, ...], ...]
    open: tuple[OpenStep, ...]
    step_count: int  # steps that are done or open: each open one will take at least one
    score: float  # logarithm of its probability
    greedy: bool  # every choice was the first
    cut: bool = False  # a limit of steps or depth closed an end


class BeamLevel(NamedTuple):
    """What the network made of all the open ends of one depth."""

    rows: dict[tuple[int, object], int]  # by the parent's row and the partner
    outcome: Outcome
    options: list[tuple[Choice, ...]]  # by row
    scores: list[list[float]]  # logarithms of the options' probabilities
    cut: list[bool]  # by row: whether the limit of depth closed what would have gone on


def decode_beam(
    engine: Engine,
    images: Sequence[NDArray[np.generic]],
    width: int,
    limits: DecodingLimits = DEFAULT,
    best: int | None = None,
    min_relative_probability: float = 0.0,
    greedy_first: bool = False,
) -> list[list[Reading]]:
    """For each image its most probable readings, all different, best first; at most `best`.

    A partial tree whose probability is less than `min_relative_probability` times that of the best
    one is given up. With `greedy_first` the greedy reading comes before all others, however
    probable they are: what comes first then does not depend on the width.
    """
    return decode_beam_memory(
        engine, engine.encode(images), width, limits, best, min_relative_probability, greedy_first
    )


def decode_beam_memory(
    engine: Engine,
    memory: Memory,
    width: int,
    limits: DecodingLimits = DEFAULT,
    best: int | None = None,
    min_relative_probability: float = 0.0,
    greedy_first: bool = False,
) -> list[list[Reading]]:
    if width < 1 or (best is not None and best < 1):
        raise ValueError("a beam holds at least one hypothesis, and hands out at least one reading")
    beams = [
        [Hypothesis(image, (), (OpenStep(image, -1, image, START),), 1, 0.0, True)]
        for image in range(len(memory.hidden))
    ]
    hidden, path = memory.hidden, memory.path
    min_relative_probability = log(max(min_relative_probability, MIN_PROBABILITY))
    paths = [np.asarray(path)]  # of each depth, for the attention of the steps that last
    while any(hypothesis.open for beam in beams for hypothesis in beam):
        closing = len(paths) >= limits.depth
        level = _expand(engine, memory, beams, hidden, path, closing, width)
        beams = [
            _prune(beam, level, engine.vocabulary, limits, width, min_relative_probability)
            for beam in beams
        ]
        hidden, path = level.outcome.hidden, level.outcome.path
        paths.append(np.asarray(path))
    return [_readings(beam, paths, greedy_first)[:best] for beam in beams]


def _expand(
    engine: Engine,
    memory: Memory,
    beams: Sequence[Sequence[Hypothesis]],
    hidden: Rows,
    path: Rows,
    closing: bool,
    width: int,
) -> BeamLevel:
    waiting = {
        (end.slot, end.partner): end
        for beam in beams
        for hypothesis in beam
        for end in hypothesis.open
    }
    ends = list(waiting.values())
    slots = np.array([end.slot for end in ends])
    partner = np.array([engine.vocabulary.number(end.partner) for end in ends])
    image = np.array([end.image for end in ends])
    outcome = engine.step(memory, image, hidden[slots], path[slots], partner)
    partners = [end.partner for end in ends]
    options = ranked_choices(
        outcome.symbols, outcome.relations, partners, engine.vocabulary, closing, width
    )
    cut = [False] * len(ends)
    if closing:
        free = decide(outcome.symbols, outcome.relations, partner, engine.vocabulary)
        cut = (free.following() > 0).tolist()
    scores = [
        [log(max(choice.step_probability, MIN_PROBABILITY)) for choice in choices]
        for choices in options
    ]
    rows: dict[tuple[int, object], int] = {key: row for row, key in enumerate(waiting)}
    return BeamLevel(rows, outcome, options, scores, cut)


def _prune(
    beam: Sequence[Hypothesis],
    level: BeamLevel,
    vocabulary: Vocabulary,
    limits: DecodingLimits,
    width: int,
    min_relative_probability: float,
) -> list[Hypothesis]:
    """The best that follow from a beam, and greedy's."""
    continuations = [
        _successors(hypothesis, level, vocabulary, limits, width) for hypothesis in beam
    ]
    best = list(islice(merge(*continuations, key=lambda hypothesis: -hypothesis.score), width))
    best = [
        hypothesis
        for hypothesis in best
        if hypothesis.score >= best[0].score + min_relative_probability
    ]
    if not any(hypothesis.greedy for hypothesis in best):
        greedy = next(hypothesis for hypothesis in beam if hypothesis.greedy)
        first = (0,) * len(greedy.open)
        best.append(_after(greedy, level, first, vocabulary, limits) if greedy.open else greedy)
    return best


def _successors(
    hypothesis: Hypothesis,
    level: BeamLevel,
    vocabulary: Vocabulary,
    limits: DecodingLimits,
    width: int,
) -> Iterator[Hypothesis]:
    """Its continuations, best first; a tree that is done continues as it is."""
    if not hypothesis.open:
        yield hypothesis
        return
    seen: set[tuple[object, ...]] = set()
    scores = [level.scores[level.rows[end.slot, end.partner]] for end in hypothesis.open]
    for picks in islice(_combinations(scores), width):
        after = _after(hypothesis, level, picks, vocabulary, limits)
        same = tuple((step.choice.target, step.choice.opens) for step in after.levels[-1])
        if same not in seen:  # where a limit closes ends, different picks come to the same
            seen.add(same)
            yield after


def _after(
    hypothesis: Hypothesis,
    level: BeamLevel,
    picks: Sequence[int],
    vocabulary: Vocabulary,
    limits: DecodingLimits,
) -> Hypothesis:
    """The hypothesis with these of the options taken at its open ends, as far as limits allow."""
    first = sum(map(len, hypothesis.levels))
    step_count, score = hypothesis.step_count, hypothesis.score
    hopeless = score < log(limits.min_probability) if limits.min_probability else False
    cut = hypothesis.cut
    decided: list[BeamStep] = []
    following: list[OpenStep] = []
    for end, pick in zip(hypothesis.open, picks, strict=True):
        row = level.rows[end.slot, end.partner]
        choice, gain = level.options[row][pick], level.scores[row][pick]
        full = step_count + len(choice.partners()) > limits.steps
        cut = cut or full or level.cut[row]
        if hopeless or full:
            symbols, relations = level.outcome.symbols[row], level.outcome.relations[row]
            choice = choose(symbols, relations, end.partner, vocabulary, True)
            gain = log(max(choice.step_probability, MIN_PROBABILITY))
        for partner in choice.partners():
            following.append(OpenStep(hypothesis.image, first + len(decided), row, partner))
            step_count += 1
        decided.append(BeamStep(end, row, choice))
        score += gain
    return Hypothesis(
        hypothesis.image,
        (*hypothesis.levels, tuple(decided)),
        tuple(following),
        step_count,
        score,
        hypothesis.greedy and not any(picks),
        cut,
    )


def _combinations(scores: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """All ways to pick one score from each list, the largest sum first.

    A heap holds the candidates: behind a combination come those that take the next best in one of
    the lists.
    """
    orders = [
        sorted(range(len(scores_of_end)), key=scores_of_end.__getitem__, reverse=True)
        for scores_of_end in scores
    ]
    heap = [(0.0, (0,) * len(scores))]  # what is lost against the best; places in the orders
    met = {heap[0][1]}
    while heap:
        loss, places = heappop(heap)
        yield tuple(order[place] for order, place in zip(orders, places, strict=True))
        for end, (scores_of_end, order, place) in enumerate(
            zip(scores, orders, places, strict=True)
        ):
            after = (*places[:end], place + 1, *places[end + 1 :])
            if place + 1 < len(order) and after not in met:
                met.add(after)
                heappush(
                    heap,
                    (loss + scores_of_end[order[place]] - scores_of_end[order[place + 1]], after),
                )


def _readings(
    beam: Iterable[Hypothesis], paths: Sequence[Floats], greedy_first: bool
) -> list[Reading]:
    """All different, most probable first, or behind the greedy one."""
    by_expression: dict[Expression, Reading] = {}
    for hypothesis in sorted(beam, key=lambda one: (not (greedy_first and one.greedy), -one.score)):
        reading = _reading(hypothesis, paths)
        by_expression.setdefault(reading.expression, reading)
    return list(by_expression.values())


def _reading(hypothesis: Hypothesis, paths: Sequence[Floats]) -> Reading:
    return Reading(
        tuple(
            read_step(
                step.open.parent,
                step.open.partner,
                depth,
                step.choice,
                after[step.row] - before[step.open.slot],
            )
            for depth, (level, (before, after)) in enumerate(
                zip(hypothesis.levels, pairwise(paths), strict=False)
            )
            for step in level
        ),
        hypothesis.cut,
    )
