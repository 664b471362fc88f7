"""Examples for a judge of readings, and the file that keeps them.

The file is a zip of arrays without any pickle. Examples differ in length: theirs lie end to end,
and counts tell where each ends.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.files import whole_file
from san.grammar.vocabulary import Vocabulary

Halves = NDArray[np.float16]


class Reading(NamedTuple):
    """The steps of one reading, parents first."""

    steps: NDArray[np.int16]  # N x 4: parent, partner, target, relations as bits
    rows: NDArray[np.int32]  # of each step its row in `Seen`


class Seen(NamedTuple):
    """What the network saw at the different steps of all readings of a picture."""

    scores: Halves  # logarithms of the targets' probabilities, and the relations' scores
    hidden: Halves
    places: Halves  # where attention lies and how far it spreads: rows, columns; their deviations


class Example(NamedTuple):
    """A picture whose readings are compared."""

    terms: NDArray[np.float32]  # `score_terms`: a row a reading, and one for none of them
    truth: int  # which of these rows is right
    readings: list[Reading]
    seen: Seen


class Examples(NamedTuple):
    unsure: list[Example]
    pictures: int  # all that were read
    settled: int  # those that are right without being compared
    vocabulary: Vocabulary


def save_examples(path: Path, examples: Examples) -> None:
    unsure = examples.unsure
    if not unsure:
        raise SanError(f"{path}: none of {examples.pictures} pictures was read unsurely")
    readings = [reading for example in unsure for reading in example.readings]
    facts = {
        "pictures": examples.pictures,
        "settled": examples.settled,
        "symbols": list(examples.vocabulary.symbols),
    }
    arrays = {
        "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8),
        "truth": np.array([example.truth for example in unsure], np.int32),
        "readings": np.array([len(example.readings) for example in unsure], np.int32),
        "seen": np.array([len(example.seen.scores) for example in unsure], np.int32),
        "lengths": np.array([len(reading.rows) for reading in readings], np.int32),
        "terms": np.concatenate([example.terms for example in unsure]),
        "steps": np.concatenate([reading.steps for reading in readings]),
        "rows": np.concatenate([reading.rows for reading in readings]),
        **{
            name: np.concatenate([getattr(example.seen, name) for example in unsure])
            for name in Seen._fields
        },
    }
    with whole_file(path) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def load_examples(paths: Sequence[Path]) -> Examples:
    """Those of several files as one; SanError where a file is none, or of another network."""
    parts = [_load(path) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.vocabulary != parts[0].vocabulary:
            raise SanError(f"{path}: examples of another network than those of {paths[0]}")
    return Examples(
        [example for part in parts for example in part.unsure],
        sum(part.pictures for part in parts),
        sum(part.settled for part in parts),
        parts[0].vocabulary,
    )


def _load(path: Path) -> Examples:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        facts = json.loads(arrays["facts"].tobytes())
        seen = _cut(arrays["seen"], *(arrays[name] for name in Seen._fields))
        steps = [
            Reading(*parts) for parts in _cut(arrays["lengths"], arrays["steps"], arrays["rows"])
        ]
        terms = [part for (part,) in _cut(arrays["readings"] + 1, arrays["terms"])]
        ends = np.cumsum(arrays["readings"]).tolist()
        unsure = [
            Example(own, int(truth), steps[end - len(own) + 1 : end], Seen(*parts))
            for own, truth, end, parts in zip(terms, arrays["truth"], ends, seen, strict=True)
        ]
        vocabulary = Vocabulary(tuple(facts["symbols"]))
        return Examples(unsure, int(facts["pictures"]), int(facts["settled"]), vocabulary)
    except FileNotFoundError:
        raise SanError(f"{path}: no such file") from None
    except (OSError, EOFError, BadZipFile, LookupError, ValueError, TypeError) as error:
        raise SanError(f"{path}: no file of examples ({type(error).__name__})") from None


def _cut(counts: NDArray[np.int32], *arrays: NDArray[Any]) -> list[tuple[NDArray[Any], ...]]:
    """Arrays that lie end to end, apart."""
    ends = np.cumsum(counts)[:-1]
    return list(zip(*(np.split(array, ends) for array in arrays), strict=True))
