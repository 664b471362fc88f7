"""tools/math_font.py: what is no font is one line. Its result is tested in tests/browser."""

from pathlib import Path

import pytest

from san.errors import SanError

pytest.importorskip("fontTools")

from tools.math_font import cut, main


def test_what_is_no_font_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match=r"nowhere\.woff: no such file"):
        cut(tmp_path / "nowhere.woff", tmp_path / "cut.woff")
    (tmp_path / "junk.woff").write_text("junk")
    with pytest.raises(SanError, match=r"junk\.woff: no font can be read from it \(Not a TrueType"):
        cut(tmp_path / "junk.woff", tmp_path / "cut.woff")
    assert not (tmp_path / "cut.woff").exists()


def test_a_font_must_be_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["math_font"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "required: font" in capsys.readouterr().err
