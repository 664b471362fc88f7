"""Printed samples: pictures as cleaning makes them, with ink in every box, and by seed alone."""

from pathlib import Path

import numpy as np
import pytest

from san.data.print_fonts import write_print_fonts
from san.errors import SanError
from san.grammar import parse
from san.grammar.productions import MARKS, unfold
from san.synth.config import KINDS, Shares, SynthConfig
from san.synth.formulas.text import fingerprint
from san.synth.mixture import Mixture
from san.synth.printed.config import PrintedConfig
from san.synth.printed.printed import Printed
from san.synth.random_stream import RandomStream
from tests.synth.packs import formulas, ink_pack
from tests.synth.printed.drawn_face import drawn_face

FORMULAS = [r"\frac{a}{b}+1", "x^{2}=4", r"\sqrt{x}+y", "(a+b)-c"]


def printed(config: PrintedConfig | None = None, texts: list[str] = FORMULAS) -> Printed:
    return Printed({"ours": drawn_face()}, [(texts, 1.0)], config or PrintedConfig())


@pytest.mark.parametrize("book_share", [0.0, 1.0])
def test_a_sample_has_ink_in_its_boxes_and_the_size_of_writing(book_share: float) -> None:
    maker = printed(PrintedConfig(book_share=book_share))
    for seed in range(8):
        picture, tree, boxes = maker.sample(np.random.default_rng(seed))
        assert set(np.unique(picture)) == {0, 255}
        assert 30 < picture.shape[0] < 250
        for step, box in zip(unfold(tree), boxes, strict=True):
            if step.target not in MARKS and np.isfinite(box).all():
                left, top, right, bottom = box.round().astype(int)
                assert picture[top : bottom + 1, left : right + 1].any()
        assert np.isfinite(boxes[:, 0]).sum() >= 3


def test_the_same_seed_is_the_same_sample() -> None:
    first, second = (printed().sample(np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(first.picture, second.picture)
    assert first.tree == second.tree
    assert np.array_equal(first.boxes, second.boxes, equal_nan=True)


def test_nothing_is_turned_that_is_not_to_be() -> None:
    config = PrintedConfig(book_share=0.0, turned_share=0.0)
    view = printed(config)._view(False, RandomStream(np.random.default_rng(0)))
    assert np.array_equal(view, np.eye(2))


def test_what_cannot_be_printed_is_one_line() -> None:
    with pytest.raises(SanError, match="no formula was found"):
        printed(texts=[r"\aleph"]).sample(np.random.default_rng(0))
    with pytest.raises(SanError, match="nothing to print"):
        printed(texts=[])


def test_what_is_excluded_is_never_printed() -> None:
    excluded = {fingerprint(parse(text)) for text in FORMULAS[1:]}
    faces = {"ours": drawn_face()}
    maker = Printed(faces, [(FORMULAS, 1.0)], PrintedConfig(attempts=99), excluded)
    for seed in range(6):
        assert maker.sample(np.random.default_rng(seed)).tree == parse(FORMULAS[0])
    nothing = Printed(faces, [(FORMULAS[1:], 1.0)], PrintedConfig(), excluded)
    with pytest.raises(SanError, match="no formula was found"):
        nothing.sample(np.random.default_rng(0))


@pytest.mark.slow
def test_a_mixture_prints_its_share_and_no_other_sample_changes(tmp_path: Path) -> None:
    path = tmp_path / "print.npz"
    write_print_fonts({"ours": drawn_face()}, path)
    ink, text = str(ink_pack(tmp_path)), str(formulas(tmp_path))
    without = SynthConfig(8, text)
    all_print = Shares(**{name: float(name == "printed") for name in KINDS})
    mixer = Mixture(ink, SynthConfig(8, text, print_fonts=str(path), shares=all_print)).open()
    sample = mixer.make(np.random.default_rng(0), 0.0)
    assert np.isfinite(sample.boxes).any()
    mixer.varied.bank.excluded.add(fingerprint(sample.tree))
    drawn = (mixer.make(np.random.default_rng(seed), 0.0).tree for seed in range(10))
    assert sample.tree not in drawn
    unused = SynthConfig(8, text, print_fonts=str(path))
    first, second = (Mixture(ink, config).open() for config in (without, unused))
    for seed in range(10):
        one, other = (mixer.make(np.random.default_rng(seed), 0.0) for mixer in (first, second))
        assert np.array_equal(one.picture, other.picture)
