"""How large the encoder's numbers get: what it takes to compute with eight bits.

- Every channel of every layer has a range of its own, the largest number that pictures of a
  training corpus came to there (`tools/quantise.py`). What is larger is cut off.
- They are fitted for one weights file. They lie beside it as JSON and name it by its SHA-256;
  where there are none, or those of other weights, the encoder computes in single precision.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from san.decoding.confidence import fingerprint
from san.decoding.engine import Floats
from san.errors import SanError
from san.files import read_file, write_file
from san.model.spec import UNREADABLE

Ranges = Mapping[str, Floats]
"""By a layer's name: the largest number of each channel, behind the batch norm of that name and its
ReLU; or the largest magnitude behind a convolution whose output is summed."""
MAX_BYTES = 1 << 20


def ranges_path(weights: Path) -> Path:
    """Where the ranges of a weights file lie."""
    return weights.with_suffix(".int8.json")


def load_ranges(weights: Path) -> Ranges | None:
    """What was fitted for this weights file, or None."""
    path = ranges_path(weights)
    if not path.is_file():
        return None
    try:
        facts = json.loads(read_file(path, MAX_BYTES))
        ranges = {name: np.array(ends, np.float32) for name, ends in facts["ranges"].items()}
        fitted_for = facts["weights"]
        if not all(ends.ndim == 1 and np.isfinite(ends).all() for ends in ranges.values()):
            raise ValueError("a range is no number")
        if not all((ends > 0).all() for ends in ranges.values()):
            raise ValueError("a range is empty")
    except (*UNREADABLE, AttributeError) as error:
        why = " ".join(str(error).split())[:200]
        raise SanError(f"{path}: no ranges can be read ({why})") from None
    return ranges if fitted_for == fingerprint(weights) else None


def save_ranges(ranges: Ranges, weights: Path, facts: Mapping[str, Any]) -> Path:
    """Beside the weights that they were fitted for, with what else is worth knowing of them."""
    path = ranges_path(weights)
    header = {"weights": fingerprint(weights), **facts}
    head_lines = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in header.items()
    )
    rows = ",\n".join(  # one line a layer; three digits say more than eight bits can
        f"    {json.dumps(name)}: [{', '.join(f'{end:.3g}' for end in ends)}]"
        for name, ends in ranges.items()
    )
    write_file(path, f'{{\n{head_lines},\n  "ranges": {{\n{rows}\n  }}\n}}\n')
    return path
