"""`san ink`: a picture, or one clear line and exit code 2."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from san.cli.main import main
from san.data.pack import Pack, write_pack
from san.data.photo_masks import PhotoMasks
from san.data.print_fonts import load_print_fonts
from san.data.sample import Sample
from san.ink import write_inkml
from san.ink.alphabet import compose
from san.ink.strokes import Box, box_of
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.glyphs.photo_glyphs import rows_of
from san.synth.printed.fonts import FACES
from tests.ink.formulas import fraction
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.packs import ink_pack
from tests.synth.printed.drawn_font import write_font, write_hand

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ink").mkdir()
    (tmp_path / "ink" / "half.inkml").write_bytes(write_inkml(fraction()))
    (tmp_path / "bad.inkml").write_text("<ink><trace>1 2, 3 x</trace></ink>")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "link.png").symlink_to(tmp_path / "ink" / "half.inkml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["san", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_saves_beside_us_and_prints_where(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "ink", "show", "ink/half.inkml") == 0
    assert capsys.readouterr().out == "half.png\n"
    with Image.open(folder / "half.png") as picture:
        assert picture.mode == "RGB"
        assert picture.width > 300


def test_a_picture_that_nobody_named_is_not_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = folder / "half.png"
    photo.write_bytes(b"a photograph of it")
    assert run(monkeypatch, "ink", "show", "ink/half.inkml") == 2
    line = "san: half.png: stands there already; name the picture with --output\n"
    assert capsys.readouterr().err == line
    assert photo.read_bytes() == b"a photograph of it"
    assert run(monkeypatch, "ink", "show", "ink/half.inkml", "-o", "half.png") == 0
    assert photo.read_bytes().startswith(b"\x89PNG")


def test_saves_where_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "ink", "show", "ink/half.inkml", "-o", "ink/other.png") == 0
    assert capsys.readouterr().out == "ink/other.png\n"
    assert (folder / "ink" / "other.png").is_file()
    assert not (folder / "half.png").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["bad.inkml"], "bad.inkml: stroke 1: not a point of 2 numbers: '3 x'"),
        (["none.inkml"], "none.inkml: no such file or directory"),
        (["ink"], "ink: is a directory"),
        (["photo.png"], "photo.png: not InkML"),
        (["ink/half.inkml", "-o", "no/where.png"], "no/where.png: there is no folder no"),
        (["ink/half.inkml", "-o", "picture.xyz"], "not the name of a picture; try picture.png"),
        (["ink/half.inkml", "-o", "picture.fits"], "not the name of a picture; try picture.png"),
        (["ink/half.inkml", "-o", "link.png"], "would overwrite what is read"),
        (["ink/half.inkml", "-o", "x" * 300 + ".png"], "file name too long"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    reason: str,
) -> None:
    assert run(monkeypatch, "ink", "show", *words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("san: ")
    assert reason in shown.err
    assert shown.err.count("\n") == 1


def test_writes_a_formula_with_our_own_alphabet(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "ink", "compose", r"\sqrt{x+1}", "--seed", "3", "-o", "root.png") == 0
    assert capsys.readouterr().out == "root.png\n"
    assert run(monkeypatch, "ink", "compose", r"\sqrt{x+1}", "--seed", "3", "-o", "same.png") == 0
    assert run(monkeypatch, "ink", "compose", r"\sqrt{x+1}", "--seed", "4", "-o", "other.png") == 0
    root, same, other = (Path(f"{name}.png").read_bytes() for name in ("root", "same", "other"))
    assert root == same != other
    with Image.open("root.png") as picture:
        assert picture.mode == "L"
        assert picture.width > picture.height > 40


def test_writes_a_formula_with_the_ink_of_a_pack(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "data", "pack", "ink", "-o", "half.npz") == 0
    capsys.readouterr()
    words = ["ink", "compose", r"\frac{2}{1}=x", "--pack", "half.npz"]
    assert run(monkeypatch, *words) == 0
    assert capsys.readouterr().out == "composed.png\n"
    assert run(monkeypatch, "ink", "compose", "y", "--pack", "half.npz") == 2
    assert "nobody wrote y" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["x^{"], "'{' is never closed"),
        ([r"\aleph"], r"nobody wrote \aleph: the ink at hand does not have it"),
        (["x", "--pack", "none.npz"], "none.npz: "),
        (["x", "-o", "no/where.png"], "no/where.png: there is no folder no"),
        (["x", "-o", "x.npz", "--pack", "x.npz"], "not the name of a picture"),
    ],
)
def test_what_cannot_be_composed_is_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    reason: str,
) -> None:
    assert run(monkeypatch, "ink", "compose", *words) == 2
    shown = capsys.readouterr()
    assert reason in shown.err
    assert shown.err.count("\n") == 1


def test_chooses_formulas_and_bars_labels(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "data", "pack", "ink", "-o", "half.npz") == 0
    (folder / "text").mkdir()
    (folder / "text" / "some.txt").write_text("x = 1\n1 = 2\nx + y\n")
    (folder / "test.tsv").write_text("a\t1 = 2\n")
    capsys.readouterr()
    words = ["ink", "formulas", "text", "--exclude-labels", "test.tsv", "--pack", "half.npz", "-o"]
    assert run(monkeypatch, *words, "out.txt") == 0
    assert capsys.readouterr().out == "out.txt: 1 formulas, 1 labels barred\n"
    mark, formula = (folder / "out.txt").read_text().splitlines()
    assert mark.startswith("#")
    assert formula == "x=1"
    assert run(monkeypatch, *words, "text/some.txt") == 2
    assert "would overwrite what is read" in capsys.readouterr().err
    # One source, all of it, and with symbols that nobody wrote but that can be made.
    (folder / "text" / "school.txt").write_text("x = 2\n\\angle 1 = 2\n")
    assert (
        run(monkeypatch, *words, "all.txt", "--only", "sch", "--max-formulas", "0", "--drawn") == 0
    )
    assert capsys.readouterr().out == "all.txt: 2 formulas, 1 labels barred\n"
    assert r"\angle1=2" in (folder / "all.txt").read_text().splitlines()
    (folder / "run.toml").write_text("[synth.formula_text.max_formulas]\nothers = 1\n")
    for told in (["--config", "run.toml"], ["--set", "synth.formula_text.max_formulas.others=1"]):
        assert run(monkeypatch, *words, "few.txt", "--only", "sch", "--drawn", *told) == 0
        assert capsys.readouterr().out == "few.txt: 1 formulas, 1 labels barred\n"
    assert run(monkeypatch, *words, "few.txt", "--set", "synth.formula_text.max_steps=0") == 2
    assert "formula_text.max_steps: 0 is not between 1 and 1000" in capsys.readouterr().err
    assert run(monkeypatch, *words, "none.txt", "--only", "gone") == 2
    assert "text: no .txt files with formulas in it (gone*)" in capsys.readouterr().err


def test_writes_symbols_of_school_without_a_corpus(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "ink", "compose", r"\angle ABD=30^{\circ}", "-o", "angle.png") == 0
    assert capsys.readouterr().out == "angle.png\n"
    with Image.open("angle.png") as picture:
        assert picture.width > 3 * picture.height


def photographs(path: Path, labels: tuple[str, ...]) -> None:
    """Rows of our own alphabet, as if cleaned."""
    samples = [
        Sample(f"p{place}", page.tree, image=page.picture)
        for place, page in enumerate(map(row, labels))
    ]
    write_pack(samples, path)


def test_extracts_the_symbols_of_photographs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photographs(folder / "photos.npz", ("2 x + 3 = 7", "a - 8 = 5 1", "3 + 4 = 7"))
    assert run(monkeypatch, "ink", "extract-glyphs", "photos.npz", "-o", "glyphs.npz") == 0
    shown = capsys.readouterr().out
    assert "glyphs.npz: " in shown
    assert shown.endswith(" by 3 writers, of 17 written\n")
    rows = rows_of(Pack.load(folder / "glyphs.npz"))
    assert {*rows[0].names} <= {*"2 x + 3 = 7".split()}
    assert sum(len(own.names) for own in rows) >= 12
    strict = ["--set", "synth.extraction.min_symbols=6"]
    assert run(monkeypatch, "ink", "extract-glyphs", "photos.npz", "-o", "few.npz", *strict) == 0
    assert " by 3 writers" not in capsys.readouterr().out


def test_tells_which_pixels_are_which_symbol(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photographs(folder / "photos.npz", ("2 x + 3 = 7", "a - 8 = 5 1", "3 + 4 = 7"))
    words = ("photos.npz", "-o", "glyphs.npz", "--photo-masks", "masks.npz")
    assert run(monkeypatch, "ink", "extract-glyphs", *words) == 0
    assert "have a mask on 3 photographs" in capsys.readouterr().out
    photos, masks = Pack.load(folder / "photos.npz"), PhotoMasks.load(folder / "masks.npz")
    masks.check(photos)
    marked = [masks.of(name) for name in photos.ids]
    assert sum(len(np.unique(own.labels)) - 1 for own in marked if own) >= 12


def test_what_cannot_be_extracted_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photographs(folder / "photos.npz", ("2 x",))
    (folder / "grey").mkdir()
    Image.new("L", (60, 40), 90).save(folder / "grey" / "a.png")
    (folder / "grey" / "labels.tsv").write_text("a\tx\n")
    assert run(monkeypatch, "data", "pack", "grey", "-o", "grey.npz") == 0
    capsys.readouterr()
    for words, reason in (
        (["none.npz", "-o", "out.npz"], "none.npz"),
        (["grey.npz", "-o", "out.npz"], "these photographs are not cleaned"),
        (["photos.npz", "-o", "photos.npz"], "would overwrite what is read"),
        (["photos.npz", "-o", "out.npz", "--photo-masks", "out.npz"], "cannot go into one file"),
        (["photos.npz", "-o", "out.npz", "--weights", "bad.inkml"], "bad.inkml"),
        (["photos.npz", "-o", "out.npz"], "no symbol of these photographs can be trusted"),
        (["photos.npz", "-o", "out.npz", "--config", "none.toml"], "none.toml"),
        (
            ["photos.npz", "-o", "out.npz", "--set", "synth.extraction.min_share=2"],
            "synth.extraction.min_share: 2.0 is not between 0 and 1",
        ),
    ):
        assert run(monkeypatch, "ink", "extract-glyphs", *words) == 2
        shown = capsys.readouterr()
        assert reason in shown.err
        assert shown.err.startswith("san: ")
    assert not (folder / "out.npz").exists()


def stacked(*labels: str) -> Drawn:
    """Rows of our own alphabet, one above the other, without a brace."""
    placed = []
    for line, label in enumerate(labels):
        for place, name in enumerate(label.split()):
            inset = 10.0 if name in "=-+" else 0.0
            box = Box(
                36.0 * place, 64.0 * line + inset, 36.0 * place + 22, 64.0 * line + 30 - inset
            )
            placed.append((name, box))
    return drawn(r"\begin{matrix}" + r" \\ ".join(labels) + r"\end{matrix}", placed)


def test_takes_photographs_of_several_lines_apart(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photographs(folder / "photos.npz", ("2 x + 3 = 7",))
    page = stacked("3 x = 6", "y = 5 - 2")
    write_pack([Sample("system", page.tree, image=page.picture)], folder / "lines.npz")
    (folder / "tests.tsv").write_text("a\t3 x = 6\n")
    words = ("ink", "split-lines", "lines.npz", "-o", "all.npz", "--photos", "photos.npz")
    assert run(monkeypatch, *words, "--exclude-labels", "photos.npz") == 0
    assert capsys.readouterr().out.endswith(
        "all.npz: 3 photographs of one line, 2 of them from 1 of several; 0 labels barred\n"
    )
    every = Pack.load(folder / "all.npz")
    assert list(every.ids) == ["p0", "system-line-1", "system-line-2"]
    assert list(every.latex) == ["2x+3=7", "3x=6", "y=5-2"]
    assert np.array_equal(every.image(0), Pack.load(folder / "photos.npz").image(0))
    assert every.image(1).any()
    assert every.shape(1)[0] < page.picture.shape[0]

    assert run(monkeypatch, *words, "--exclude-labels", "tests.tsv") == 0
    assert "1 of them from 1 of several; 1 labels barred" in capsys.readouterr().out
    assert list(Pack.load(folder / "all.npz").ids) == ["p0", "system-line-2"]

    for more, reason in (
        (["none.npz"], "none.npz"),
        (["photos.npz"], "photos.npz: no line of these photographs can be told from the others"),
        (["lines.npz", "--photos", "bad.inkml"], "bad.inkml"),
        (["lines.npz", "--exclude-labels", "none.tsv"], "none.tsv"),
        (["lines.npz", "-o", "lines.npz"], "would overwrite what is read"),
    ):
        bad = ["ink", "split-lines", "-o", "out.npz", "--exclude-labels", "tests.tsv", *more]
        assert run(monkeypatch, *bad) == 2
        shown = capsys.readouterr()
        assert reason in shown.err
        assert shown.err.startswith("san: ")
    assert not (folder / "out.npz").exists()


def test_takes_outlines_out_of_fonts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fontTools")
    fonts, output = tmp_path / "fonts", tmp_path / "print.npz"
    fonts.mkdir()
    words = ("ink", "print-fonts", "--fonts", str(fonts), "-o", str(output))
    assert run(monkeypatch, *words) == 2
    assert "no font of those" in capsys.readouterr().err
    assert not output.exists()
    write_font(fonts / FACES["latin modern"].upright, "ax1+")
    assert run(monkeypatch, *words) == 0
    told = capsys.readouterr()
    assert "1 typefaces" in told.out
    assert "not found: termes" in told.err
    assert list(load_print_fonts(output)) == ["latin modern"]


HAND = "0123456789acdxyABC+="
FEW = ("--set", "synth.extraction.fonts.min_symbols=8")


def test_traces_fonts_of_handwriting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fontTools")
    monkeypatch.chdir(tmp_path)
    fonts = tmp_path / "fonts"
    for folder in ("a", "b"):
        (fonts / folder).mkdir(parents=True)
        write_hand(fonts / folder / "hand.ttf", HAND)
    write_hand(fonts / "few.ttf", "12")
    (fonts / "damaged.woff").write_bytes(b"wOFF no font")
    assert run(monkeypatch, "ink", "font-glyphs", "fonts", "-o", "hands.npz", *FEW) == 0
    told = capsys.readouterr()
    assert re.fullmatch(
        r"hands\.npz: (\d+) glyphs of (\d+) symbols by 2 fonts\n", told.out.replace(",", "")
    )
    # One bad font costs nobody the others, and each is named.
    first, *others = told.err.splitlines()
    assert first == "left out 2 of 4 fonts:"
    assert "fonts/damaged.woff: not a font that can be read" in others[0]
    assert others[1] == "  fonts/few.ttf: 2 characters that can be traced and read, 8 are wanted"
    pack = Pack.load(tmp_path / "hands.npz")
    assert list(pack.ids) == ["hand", "hand-2"]
    one, other = rows_of(pack)
    assert one.names == other.names
    assert len({*one.names} & {*HAND}) == len(one.names) >= 14

    # So it is composed with.
    bank = build_bank(Copybook(), hands=[pack])
    assert len(bank.by_writer["2", bank.hands[1]]) == 1


def test_fonts_that_cannot_be_traced_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fontTools")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.ttf").write_bytes(b"no font")
    write_hand(tmp_path / "few.ttf", "12")
    for words, reason in (
        (["none.ttf", "-o", "out.npz"], "none.ttf: no such file or folder"),
        (["empty", "-o", "out.npz"], "empty: no font in it (.ttf, .otf, .woff)"),
        (["bad.ttf", "-o", "out.npz"], "bad.ttf: not a font that can be read"),
        (
            ["few.ttf", "bad.ttf", "-o", "out.npz"],
            "none of 2 fonts can be used; few.ttf: 2 characters",
        ),
        (["few.ttf", "-o", "out.ttf"], "out.ttf: not the name of a pack"),
        (["few.ttf", "-o", "out.npz", "--weights", "bad.ttf"], "bad.ttf"),
        (
            ["few.ttf", "-o", "out.npz", "--set", "synth.extraction.fonts.max_extent=0"],
            "synth.extraction.fonts.max_extent: 0.0 is not between 0.1 and 100",
        ),
    ):
        assert run(monkeypatch, "ink", "font-glyphs", *words) == 2
        shown = capsys.readouterr()
        assert reason in shown.err
        assert shown.err.startswith("san: ")
        assert shown.err.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


def write_characters(folder: Path, names: str) -> None:
    """A UNIPEN distribution: what our own alphabet looks like, once by each of two writers."""
    listed, page, pieces = [".INCLUDE lab/page.dat"], [".COORD X Y"], 0
    for writer, size in (("one", 300), ("two", 90)):
        page.append(f".WRITER_ID {writer}")
        for name in names:
            strokes = compose([(name, Box(0, 0, 0.6, 1))]).ink.strokes
            listed.append(f'.SEGMENT CHARACTER {pieces}-{pieces + len(strokes) - 1} ? "{name}"')
            pieces += len(strokes)
            for stroke in strokes:
                page.append(".PEN_DOWN")
                page += [f"{x} {-y}" for x, y in np.rint(stroke * size).astype(int).tolist()]
    for path, lines in (("data/2/lab/list.dat", listed), ("include/lab/page.dat", page)):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text("\n".join(lines))


def test_takes_characters_that_people_wrote_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ink_pack(tmp_path)
    write_characters(tmp_path / "unipen", "2+xyab")
    words = ("ink", "character-glyphs", "unipen", "--pack", "ink.npz", "-o", "people.npz")
    few = ("--set", "synth.extraction.characters.min_symbols=3")
    assert run(monkeypatch, *words, *few) == 0
    told = capsys.readouterr().out
    assert re.fullmatch(r"people\.npz: \d+ glyphs of \d symbols by 2 writers\n", told)
    pack = Pack.load(tmp_path / "people.npz")
    assert list(pack.ids) == ["unipen-1", "unipen-2"]  # nobody's name
    one, other = rows_of(pack)
    assert one.names == other.names
    # However large somebody's tablet counts, letters are as large as letters are.
    for glyph, same in zip(one.strokes, other.strokes, strict=True):
        assert box_of(glyph).height == pytest.approx(box_of(same).height, rel=0.1)

    for changed, reason in (
        (words, "characters none can be used"),
        (("ink", "character-glyphs", "none", *words[3:]), "no UNIPEN distribution"),
        ((*words[:-1], "out.txt"), "not the name of a pack"),
        ((*words[:-1], "ink.npz"), "ink.npz"),
    ):
        assert run(monkeypatch, *changed) == 2
        shown = capsys.readouterr().err
        assert reason in shown
        assert shown.startswith("san: ")
        assert len(shown.splitlines()) == 1
