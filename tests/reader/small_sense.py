"""A language model of a few words, made on the fly."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from san.reader.rescoring.language_model import PLACES, UNKNOWN
from san.reader.rescoring.rescorer import Rule, written

HIDDEN = 6
NAMES = (UNKNOWN, "x", "y", "2", "(", ")", "+", "<empty>", "<extend> sup", "<extend> sup right")


def arrays(seed: int = 0, names: Sequence[str] = NAMES) -> dict[str, NDArray[np.float16]]:
    dice = np.random.default_rng(seed)
    shapes = {
        "after": (len(names), 4 * HIDDEN),
        "place": (PLACES, 4 * HIDDEN),
        "state": (HIDDEN, 4 * HIDDEN),
        "output": (HIDDEN, len(names)),
        "bias": (len(names),),
    }
    return {name: dice.normal(size=shape).astype(np.float16) for name, shape in shapes.items()}


def likes(liked: Mapping[str, float], rule: Rule) -> bytes:
    """A model that knows nothing but how much each word is liked."""
    plain = {name: np.zeros_like(own) for name, own in arrays().items()}
    plain["bias"] = np.array([liked.get(name, 0.0) for name in NAMES], np.float16)
    return written(NAMES, plain, rule)
