"""The widget itself, without a browser."""

import subprocess
import sys
from typing import Any

import pytest

import san
from san.errors import SanError
from tests.notebook.test_reading import STROKES
from tests.serve.conftest import recognizer


@pytest.mark.slow
def test_without_anywidget_it_is_told_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "import san\n"
        "try: san.sheet()\n"
        "except san.SanError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("this needs anywidget, which is not installed: pip install '.[no")


@pytest.fixture
def sheet() -> Any:
    pytest.importorskip("anywidget", reason="no anywidget here: pip install '.[notebook]'")
    return san.sheet(recognizer())


def test_what_the_browser_asks_is_answered_and_observed(sheet: Any) -> None:
    sent: list[dict[str, Any]] = []
    seen: list[tuple[str, str]] = []
    sheet.send = sent.append
    sheet.observe(lambda change: seen.append((change["new"].latex, sheet.latex)), "formula")
    sheet._handle_custom_msg({"number": 3, "strokes": STROKES}, [])
    assert [(one["number"], one["message"]) for one in sent] == [(3, "")]
    assert sheet.formula.latex == sheet.latex == r"x=\frac{1}{2}"
    assert seen == [(sheet.latex, sheet.latex)]  # once, and all in step
    assert sheet.strokes == STROKES
    assert len(sheet.formulas) == 1


def test_strokes_that_are_set_are_read(sheet: Any) -> None:
    sheet.strokes = STROKES
    assert sheet.latex == r"x=\frac{1}{2}"
    sheet.strokes = [["no ink"]]
    assert (sheet.formula, sheet.formulas, sheet.latex) == (None, (), "")
    assert sheet.message
    sheet.strokes = []
    assert sheet.message == ""


def test_a_height_out_of_range(sheet: Any) -> None:
    with pytest.raises(SanError, match="from 100 to 4000 pixels"):
        san.sheet(height=5)


@pytest.mark.parametrize(
    ("reader", "said"),
    [("http://127.0.0.1:8000", r"Recognizer\.connect\(url\)"), (5, "which int is not")],
)
def test_who_cannot_read_is_refused_at_once(sheet: Any, reader: Any, said: str) -> None:
    with pytest.raises(SanError, match=said):
        san.sheet(reader)
