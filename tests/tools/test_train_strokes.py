"""The network of strokes learns what it is shown, and numpy says of it what torch does."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tools.strokes_data import (  # noqa: E402
    MAX_STROKES,
    Written,
    part_of,
    segmented,
    varied,
    written,
)
from tools.train_strokes import (  # noqa: E402
    UNKNOWN,
    TrainedStrokeNetwork,
    batch_of,
    file_content,
    main,
    train,
    validate,
)

from san.data.pack import write_pack  # noqa: E402
from san.data.sample import Sample  # noqa: E402
from san.errors import run_or_exit  # noqa: E402
from san.grammar import parse  # noqa: E402
from san.ink import Ink  # noqa: E402
from san.reader.rescoring.stroke_network import (  # noqa: E402
    even_points,
    inputs_of,
    stroke_network,
)
from san.synth.glyphs.copybook import Copybook  # noqa: E402
from san.training.rescoring_config import StrokeNetworkConfig  # noqa: E402
from tests.ink.formulas import fraction, quadratic  # noqa: E402

SMALL = StrokeNetworkConfig(head_width=8, epochs=12, pool_epochs=1, batch_size=8, dropout=0.0)
SYMBOLS = ("+", "-", "x")


def crosses(count: int, seed: int = 0) -> list[Written]:
    """Plus signs, whose lines stand, and crosses, whose lines lean, three in a row."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        strokes, names = [], []
        for place in range(3):
            leans = bool(rng.random() < 0.5)
            ways = ((-1, -1, 1, 1), (1, -1, -1, 1)) if leans else ((-1, 0, 1, 0), (0, -1, 0, 1))
            for x, y, other_x, other_y in ways:
                ends = np.array([(x, y), (other_x, other_y)]) * 10 + rng.normal(0, 1, (2, 2))
                strokes.append((ends + np.array((40 * place, 0))).astype(np.float32))
                names.append("x" if leans else "+")
        one = written(Ink(tuple(strokes)), names, np.repeat(np.arange(3), 2))
        assert one is not None
        found.append(one)
    return found


@pytest.mark.slow
def test_it_learns_what_it_is_shown() -> None:
    learnt, held = crosses(160), crosses(40, seed=1)
    network = train(learnt[:80], learnt[80:], SMALL)
    assert network.symbols == ("+", "x")
    right, surprise = validate(network, held)
    assert right > 0.95
    assert surprise < 0.3


def test_numpy_says_what_torch_does(tmp_path: Path) -> None:
    torch.manual_seed(3)
    network = TrainedStrokeNetwork(SYMBOLS, StrokeNetworkConfig(head_width=8)).eval()
    path = tmp_path / "strokes.safetensors"
    path.write_bytes(file_content(network))
    twin = stroke_network(path)
    assert twin.symbols == SYMBOLS
    pieces = [quadratic().ink, fraction().ink]  # of different lengths: one is filled up
    *inputs, targets = batch_of([(even_points(one.strokes), ()) for one in pieces], {})
    with torch.no_grad():
        expected = network(*inputs).log_softmax(2).numpy()
    assert (targets == UNKNOWN).all()
    for place, one in enumerate(pieces):
        found = twin.judged(inputs_of(even_points(one.strokes)))
        assert np.allclose(found, expected[place, : len(one.strokes)], atol=5e-3)  # half precision
        assert np.abs(found - found.mean()).max() > 0.05


def test_segmented_ink_has_a_symbol_for_each_stroke() -> None:
    sheet = fraction()
    labels = {r"\frac": "-"}  # as a segmentation has them
    glyphs = [replace(glyph, label=labels.get(glyph.label, glyph.label)) for glyph in sheet.glyphs]
    tree = parse(sheet.truth or "")
    one = segmented(sheet.ink, glyphs, tree)
    assert one is not None
    for glyph in sheet.glyphs:
        assert {one.symbols[stroke] for stroke in glyph.strokes} == {glyph.label}
    long = Ink(tuple(np.zeros((1, 2), np.float32) for _ in range(MAX_STROKES + 1)))
    assert segmented(long, [], tree) is None


def test_where_glyphs_do_not_fit_the_tree_a_bar_may_be_anything() -> None:
    strokes = tuple(np.array([(20 * n, 0), (20 * n + 9, 5)], np.float32) for n in range(4))
    ink = Ink(strokes)
    glyphs = [ink.glyph(label, [place]) for place, label in enumerate(("-", r"\lt", "x", "."))]
    one = segmented(ink, glyphs, parse("x"))
    assert one is not None
    assert one.symbols == ("", "<", "x", "")


def test_varied_ink_is_the_same_formula_written_otherwise() -> None:
    points = even_points(quadratic().ink.strokes)
    first, again, other = (varied(points, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == points.shape
    apart = np.abs(first - points).mean() / np.ptp(points)
    assert 0.001 < apart < 0.1


def test_a_part_of_ink_has_whole_symbols() -> None:
    sheet = quadratic()
    whole = segmented(sheet.ink, sheet.glyphs, parse(sheet.truth or ""))
    assert whole is not None
    parts = [part_of(whole, np.random.default_rng(seed)) for seed in range(40)]
    lengths = {len(part.points) for part in parts}
    assert max(lengths) == len(whole.points)
    assert min(lengths) < len(whole.points) / 2
    for part in parts:
        for owner in set(part.owners.tolist()):
            assert (part.owners == owner).sum() == (whole.owners == owner).sum()


@pytest.mark.slow
def test_the_command_writes_a_network_or_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    book = Copybook()
    pack, config, output = (tmp_path / name for name in ("ink.npz", "a.toml", "out.safetensors"))
    samples = (
        Sample(str(n), book.tree(n), ink=book.ink(n), glyphs=book.glyphs(n))
        for n in range(len(book))
    )
    write_pack(samples, pack)
    config.write_text("[stroke_network]\nhead_width = 4\nepochs = 1\ncomposed = 0.2\n", "utf-8")
    words = ["train_strokes", str(pack), "--config", str(config), "-o", str(output)]
    monkeypatch.setattr("sys.argv", words)
    main()
    assert "epoch 1: loss" in capsys.readouterr().out
    assert "x" in stroke_network(output).symbols
    monkeypatch.setattr("sys.argv", [*words[:-1], str(pack)])
    with pytest.raises(SystemExit, match="would overwrite what is read"):
        run_or_exit(main)
