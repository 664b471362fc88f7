"""Language models are compared on formulas that were held out, and on nothing else."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from tools.compare_language_models import composed, main
from tools.train_language_model import sources, split_held_out

from san.data.pack import Pack
from san.errors import SanError, run_or_exit
from san.grammar import parse
from san.reader.rescoring import second_pass
from san.reader.rescoring.rescorer import RescoringWeights
from san.synth.composer import Composer
from tests.reader.small_rescorer import likes
from tests.synth.packs import ink_pack
from tools import compare_language_models


def formulas(path: Path, sign: str) -> Path:
    every = [f"{a}{b} {sign} {c}" for a in "12xy" for b in "12xy" for c in "12xy"]
    path.write_text("\n".join(every), "utf-8")
    return path


@pytest.mark.slow
def test_a_formula_is_composed_if_its_symbols_were_written(tmp_path: Path) -> None:
    composer = Composer(Pack.load(ink_pack(tmp_path)))
    known, unknown = parse("x+2"), parse("x+z")
    trees = {tree for _, tree in composed(composer, [known, unknown], 8, 0)}
    assert trees == {known}
    with pytest.raises(SanError, match="no formula that was held back"):
        next(composed(composer, [unknown], 8, 0))


@pytest.mark.slow
def test_each_file_rescores_what_no_model_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ink, school = formulas(tmp_path / "ink.txt", "+"), formulas(tmp_path / "school.txt", "=")
    config = tmp_path / "small.toml"
    pack = ink_pack(tmp_path)
    config.write_text(
        f'[data]\ntrain = "{pack}"\n[synth]\nformulas = "{ink}"\nphoto_formulas = "{school}"\n'
        "shares.photo_style = 0.5\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    files = [Path("none/rescoring"), Path("likes/rescoring")]
    for file, liked, weights in zip(
        files,
        ({}, {"x": 9.0, "y": -9.0, "2": -9.0}),
        (RescoringWeights(), RescoringWeights(language_model=9.0)),
        strict=True,
    ):
        file.parent.mkdir()
        file.write_bytes(likes(liked, weights))
    monkeypatch.setattr(second_pass, "MAX_UNSURE", 1.1)
    monkeypatch.setattr(second_pass, "USUAL_BEAM", second_pass.Beam(5, 0.0))
    monkeypatch.setattr(second_pass, "MIN_UNSURE", 0.0)
    drawn: dict[object, bool] = {}

    def watched(*asked: object) -> object:
        for picture, tree in composed(*asked):  # type: ignore[arg-type]
            drawn[tree] = bool(asked[4])
            yield picture, tree

    monkeypatch.setattr(compare_language_models, "composed", watched)
    asked = [config, ink, ink, school, "--count", 12, "--rescoring", *files]
    monkeypatch.setattr("sys.argv", ["compare_language_models", *map(str, asked)])
    main()
    _, (ours, schools) = split_held_out(sources([ink, school]))
    assert {tree for tree, worn in drawn.items() if not worn} <= set(ours)
    assert {tree for tree, worn in drawn.items() if worn} <= set(schools)
    assert set(drawn.values()) == {False, True}
    rows = [line.split("│")[1:-1] for line in capsys.readouterr().out.splitlines() if "│" in line]
    table = [[cell.strip() for cell in row] for row in rows]
    assert [row[:2] for row in table] == [
        [kind, str(file)] for kind in ("ink", "photo style") for file in files
    ]
    for row in table:
        assert float(row[6]) >= max(map(float, row[2:6]))
    none, liking = table[::2], table[1::2]
    assert [row[4] for row in none] == [row[3] for row in none]  # it leaves all as it is
    # Whoever sees x in place of y and 2 does not.
    assert sum(float(row[4]) for row in liking) < sum(float(row[4]) for row in none)


@pytest.mark.slow
def test_bad_input_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ink = formulas(tmp_path / "ink.txt", "+")

    def told(*asked: object) -> str:
        monkeypatch.setattr("sys.argv", ["compare_language_models", *map(str, asked)])
        with pytest.raises(SystemExit) as end:
            run_or_exit(main)
        return str(end.value.code)

    assert "at least two files" in told("any.toml", ink, ink)
    school = formulas(tmp_path / "school.txt", "=")
    assert "nowhere" in told("any.toml", ink, school, "--rescoring", tmp_path / "nowhere")
    config = tmp_path / "small.toml"
    config.write_text(f'[data]\ntrain = "{ink_pack(tmp_path)}"\n', "utf-8")
    assert "synth.photo_formulas" in told(config, ink, school)
    assert "--seed at least 0" in told(config, ink, school, "--seed", -1)
    assert "--count is at least 1" in told(config, ink, school, "--count", 0)
