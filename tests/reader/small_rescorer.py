"""A language model of a few tokens, made on the fly."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from san.reader.rescoring.language_model import PARTNER_KINDS, UNKNOWN
from san.reader.rescoring.rescorer import InkWeights, RescoringWeights, file_content

HIDDEN = 6
NAMES = (UNKNOWN, "x", "y", "2", "(", ")", "+", "<empty>", "<extend> sup", "<extend> sup right")


def arrays(seed: int = 0, names: Sequence[str] = NAMES) -> dict[str, NDArray[np.float16]]:
    rng = np.random.default_rng(seed)
    shapes = {
        "token_gates": (len(names), 4 * HIDDEN),
        "partner_gates": (PARTNER_KINDS, 4 * HIDDEN),
        "state_gates": (HIDDEN, 4 * HIDDEN),
        "output": (HIDDEN, len(names)),
        "output_bias": (len(names),),
    }
    return {name: rng.normal(size=shape).astype(np.float16) for name, shape in shapes.items()}


def likes(
    liked: Mapping[str, float],
    weights: RescoringWeights,
    ink_weights: InkWeights | None = None,
    strokes: str = "",
) -> bytes:
    """A model that knows nothing but how much each token is liked."""
    plain = {name: np.zeros_like(own) for name, own in arrays().items()}
    plain["output_bias"] = np.array([liked.get(name, 0.0) for name in NAMES], np.float16)
    return file_content(NAMES, plain, weights, ink_weights=ink_weights, strokes=strokes)
