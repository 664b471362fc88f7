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
    from triton.language.core import is_builtin
    from triton.runtime import interpreter

    # It converts arrays of one number by int(), which numpy 2.4 refuses.
    _patch_tensor = interpreter._patch_lang_tensor

    def _patch_for_numpy(tensor: Any, scope: Any) -> None:
        _patch_tensor(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = _patch_for_numpy

    # Half of its time went into work that changes nothing: it does all sums of 32 bits twice, to
    # see whether they overflow; takes on the language anew for every function that a kernel calls;
    # and lists all types of numbers to look one up.
    _patch_language, _find_type = interpreter._patch_lang, interpreter._get_np_dtype
    _types: dict[str, Any] = {}

    def _patch_once(function: Any) -> Any:
        languages = (interpreter.tl, interpreter.tl.core)
        used = [own for own in languages if any(own is it for it in function.__globals__.values())]
        if used and not any(is_builtin(own.load) for own in used):
            return interpreter._LangPatchScope()
        return _patch_language(function)

    def _type(own: Any) -> Any:
        if own.name not in _types:
            _types[own.name] = _find_type(own)
        return _types[own.name]

    interpreter._patch_lang = _patch_once
    interpreter._get_np_dtype = _type
    unchecked = interpreter.InterpreterOptions(sanitize_overflow=False)
    interpreter.interpreter_builder.options = unchecked


@pytest.fixture(autouse=True)
def _exact() -> None:
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
