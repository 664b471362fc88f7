"""What `import san` shows, and that it waits for nothing."""

import pydoc
import subprocess
import sys

import pytest

import san

PUBLIC = {
    "Failure", "Formula", "Limits", "Page", "Recognizer", "SanError", "Symbol", "__version__",
    "read", "sheet",
}  # fmt: skip


def test_every_public_name_is_shown() -> None:
    assert set(san.__all__) == PUBLIC <= set(dir(san))
    for name in PUBLIC:
        assert getattr(san, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        san.reed  # noqa: B018


def test_help_tells_of_them() -> None:
    text = pydoc.render_doc(san, renderer=pydoc.plaintext)
    for name in PUBLIC - {"__version__"}:
        assert name in text
    assert "Args:" in (san.Recognizer.__doc__ or "")
    assert "Args:" in (san.read.__doc__ or "")


def test_importing_san_imports_nothing_heavy() -> None:
    code = (
        "import sys, san; dir(san); san.SanError; san.__version__; "
        "print([name for name in ('numpy', 'onnxruntime', 'cv2', 'PIL') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
