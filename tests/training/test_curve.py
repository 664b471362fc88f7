import json
from pathlib import Path

from PIL import Image

from san.training.curve import draw_curve, read_log

LINES = [
    {"epoch": 1, "symbol": 2.0, "relation": 0.4, "reversed": 0.0, "regularisation": 0.0},
    {"epoch": 2, "symbol": 1.0, "relation": 0.2, "exact": 40.0, "steps": 80.0, "blank": 20.0},
]


def test_a_log_is_drawn_and_a_line_cut_off_is_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, LINES)) + '\n{"epoch": 3, "sym', "utf-8")
    assert read_log(log) == LINES
    draw_curve(log, tmp_path / "curve.png")
    with Image.open(tmp_path / "curve.png") as picture:
        colours = picture.convert("RGB").getcolors(1 << 20)
        assert colours is not None
        assert len(colours) > 5  # axes, and curves in several colours
    assert sorted(file.name for file in tmp_path.iterdir()) == ["curve.png", "log.jsonl"]


def test_a_log_without_lines_is_an_empty_picture(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("")
    draw_curve(tmp_path / "log.jsonl", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 1000
