"""Where there is no GPU, Triton's interpreter runs the kernels: set before any is imported."""

import os
from importlib.util import find_spec
from typing import Any

import pytest
import torch

if find_spec("triton") is None:
    collect_ignore_glob = ["test_*.py"]
elif not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
    # The interpreter converts arrays of one number by int(), which numpy 2.4 refuses.
    from triton.runtime import interpreter

    _patch = interpreter._patch_lang_tensor

    def _patch_for_numpy(tensor: Any, scope: Any) -> None:
        _patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = _patch_for_numpy


@pytest.fixture(autouse=True)
def _exact() -> None:
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
