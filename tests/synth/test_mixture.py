"""Epochs mixed from a pack of our own ink."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from san.data.pack import Pack, write_pack
from san.data.photo_masks import PhotoMask, write_photo_masks
from san.data.sample import Sample
from san.errors import SanError
from san.grammar import parse
from san.grammar.productions import MARKS, unfold
from san.grammar.vocabulary import Vocabulary
from san.images.clean.components import find_components, stroke_width
from san.images.clean.pipeline import NoInk
from san.ink.draw import Picture
from san.model.torch.batch import UNKNOWN_BOX, levels
from san.synth import mixture
from san.synth.config import KINDS, PhotoSamplesConfig, Shares, SynthConfig
from san.synth.mixture import Mixture
from san.synth.photo.config import WearConfig
from san.synth.samples import Boxes
from tests.data.drawn import encoded, photograph
from tests.synth.packs import formulas, glyphs_pack, ink_pack, photo_formulas, photo_pack


def only(kind: str) -> Shares:
    return Shares(**{name: float(name == kind) for name in KINDS})


@pytest.mark.slow
def test_every_kind_comes_with_its_boxes(tmp_path: Path) -> None:
    config = SynthConfig(samples_per_epoch=8, formulas=str(formulas(tmp_path)))
    mixer = Mixture(str(ink_pack(tmp_path)), config).open()
    rng = np.random.default_rng(0)
    known = total = 0
    for _ in range(60):
        sample = mixer.make(rng, 0.0)
        steps = unfold(sample.tree)
        assert sample.boxes.shape == (len(steps), 4)
        height, width = sample.picture.shape
        for step, box in zip(steps, sample.boxes, strict=True):
            if step.target in MARKS:
                assert np.isnan(box).all()
                continue
            total += 1
            if np.isfinite(box).all():
                known += 1
                left, top, right, bottom = np.rint(box).astype(int)
                assert 0 <= left < right <= width
                assert 0 <= top < bottom <= height
                assert sample.picture[top:bottom, left:right].any()
    assert known > 0.9 * total


@pytest.mark.slow
def test_the_end_of_a_run_is_the_corpus_as_it_is(tmp_path: Path) -> None:
    config = SynthConfig(
        8, str(formulas(tmp_path)), final_shares_from=0.5, final_shares=Shares(0.0, 0.0, plain=0.5)
    )
    path = ink_pack(tmp_path)
    pack = Pack.load(path)
    mixer = Mixture(str(path), config).open()
    known = {pack.image(place).tobytes(): pack.tree(place) for place in range(len(pack))}
    rng = np.random.default_rng(0)
    for _ in range(20):
        sample = mixer.make(rng, 1.0)
        assert known[sample.picture.tobytes()] == sample.tree
        # To the pixel: a box has ink on each of its sides.
        for left, top, right, bottom in sample.boxes[np.isfinite(sample.boxes[:, 0])].astype(int):
            own = sample.picture[top:bottom, left:right]
            assert all(side.any() for side in (own[0], own[-1], own[:, 0], own[:, -1]))


def test_formulas_that_are_not_there_are_one_line(tmp_path: Path) -> None:
    config = SynthConfig(samples_per_epoch=8, formulas=str(tmp_path / "none.txt"))
    with pytest.raises(SanError, match=r"none\.txt"):
        Mixture(str(ink_pack(tmp_path)), config).open()


@pytest.mark.slow
def test_an_epoch_without_photo_style_is_the_same_as_ever(tmp_path: Path) -> None:
    """Shares of 0 take nothing from chance: an old run can be made again."""
    pack, text = str(ink_pack(tmp_path)), str(formulas(tmp_path))
    files = (str(photo_formulas(tmp_path)), str(photo_pack(tmp_path)))
    plain = Mixture(pack, SynthConfig(8, text)).open()
    more = Mixture(pack, SynthConfig(8, text, *files)).open()
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(20):
        assert np.array_equal(plain.make(one, 0.5).picture, more.make(other, 0.5).picture)


@pytest.mark.slow
def test_photo_style_has_wear_and_keeps_its_boxes(tmp_path: Path) -> None:
    config = SynthConfig(
        8, str(formulas(tmp_path)), str(photo_formulas(tmp_path)), shares=only("photo_style")
    )
    mixer = Mixture(str(ink_pack(tmp_path)), config).open()
    rng = np.random.default_rng(0)
    known = total = 0
    widths = []
    for _ in range(40):
        sample = mixer.make(rng, 0.0)
        steps = unfold(sample.tree)
        assert sample.boxes.shape == (len(steps), 4)
        widths.append(stroke_width(sample.picture // 255))
        symbols = [number for number, step in enumerate(steps) if step.target not in MARKS]
        total += len(symbols)
        for left, top, right, bottom in sample.boxes[symbols]:
            if np.isfinite(left):
                known += 1
                own = sample.picture[round(top) : round(bottom), round(left) : round(right)]
                assert own.shape[0]
                assert own.shape[1]
    assert known > 0.8 * total
    assert np.std(widths) > 0.2


@pytest.mark.slow
def test_ink_that_lost_a_symbol_gets_wear_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = SynthConfig(8, str(formulas(tmp_path)), wear_share=1.0, shares=only("varied"))
    mixer = Mixture(str(ink_pack(tmp_path)), config).open()
    for losses, wanted in ((0, 1), (2, 3), (9, 3)):
        tried: list[int] = []

        def wear(
            picture: Picture,
            boxes: Boxes,
            rng: np.random.Generator,
            config: WearConfig,
            tried: list[int] = tried,
            losses: int = losses,
        ) -> tuple[Picture, Boxes]:
            tried.append(1)
            return (np.zeros_like(picture) if len(tried) <= losses else picture), boxes

        monkeypatch.setattr(mixture, "wear", wear)
        made = mixer.make_one("varied", np.random.default_rng(0))
        assert len(tried) == wanted
        assert made.picture.any() == (losses < wanted)


def in_photo_style(folder: Path, simulated_share: float) -> mixture.Mixer:
    config = SynthConfig(
        8,
        str(formulas(folder)),
        str(photo_formulas(folder)),
        shares=Shares(photo_style=0.5),
        photo_samples=PhotoSamplesConfig(simulated_share=simulated_share),
    )
    return Mixture(str(ink_pack(folder)), config).open()


@pytest.mark.slow
def test_wear_leaves_the_gaps_of_photo_style_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gaps = []

    def wear(
        picture: Picture, boxes: Boxes, rng: np.random.Generator, config: WearConfig
    ) -> tuple[Picture, Boxes]:
        gaps.append(config.gaps)
        return picture, boxes

    mixer = in_photo_style(tmp_path, simulated_share=0.0)
    monkeypatch.setattr(mixture, "wear", wear)
    for seed in range(5):
        mixer.make_one("photo_style", np.random.default_rng(seed))
    assert len(gaps) >= 5
    assert set(gaps) == {(1.0, 1.0)}


@pytest.mark.slow
def test_a_photograph_where_nothing_is_found_gets_wear_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(grey: Picture) -> Picture:
        raise NoInk

    mixer = in_photo_style(tmp_path, simulated_share=1.0)
    monkeypatch.setattr(mixture, "clean", lost)
    sample = mixer.make_one("photo_style", np.random.default_rng(0))
    assert sample.picture.any()
    assert np.isfinite(sample.boxes).any()


@pytest.mark.slow
def test_photographs_are_taken_again_and_their_places_are_unknown(tmp_path: Path) -> None:
    path = photo_pack(tmp_path)
    config = SynthConfig(8, str(formulas(tmp_path)), photos=str(path), shares=only("photographed"))
    mixer = Mixture(str(ink_pack(tmp_path)), config).open()
    rng = np.random.default_rng(0)
    labels = {parse("x + 1"), parse("z = 2")}
    vocabulary = Vocabulary.gather(labels)
    pictures = set()
    for _ in range(20):
        sample = mixer.make(rng, 0.0)
        assert sample.tree in labels
        tree = levels(unfold(sample.tree), vocabulary, sample.boxes)
        assert (tree.box == UNKNOWN_BOX).all()  # which the attention loss passes over
        pictures.add(sample.picture.tobytes())
    assert len(pictures) > 12


@pytest.mark.slow
def test_some_ink_may_have_wear(tmp_path: Path) -> None:
    config = SynthConfig(8, str(formulas(tmp_path)), shares=only("composed"))
    pack = str(ink_pack(tmp_path))
    fresh = Mixture(pack, config).open()
    used = Mixture(pack, dataclasses.replace(config, wear_share=1.0)).open()
    rng = np.random.default_rng(0)
    drawn, with_wear = (
        {stroke_width(mixer.make(rng, 0.0).picture // 255) for _ in range(12)}
        for mixer in (fresh, used)
    )
    assert np.std(list(with_wear)) > 0.15
    assert np.median(list(with_wear)) > np.median(list(drawn))


def test_photographs_must_be_cleaned(tmp_path: Path) -> None:
    grey = photograph()
    raw = Sample("p", parse("x"), image=grey, encoded=encoded(grey))
    write_pack([raw], tmp_path / "raw.npz")
    config = SynthConfig(
        8,
        str(formulas(tmp_path)),
        photos=str(tmp_path / "raw.npz"),
        shares=Shares(photographed=0.5),
    )
    with pytest.raises(SanError, match=r"raw\.npz: .* --clean"):
        Mixture(str(ink_pack(tmp_path)), config).open()


@pytest.mark.slow
def test_glyphs_of_photographs_are_for_photo_style_alone(tmp_path: Path) -> None:
    pack, text = str(ink_pack(tmp_path)), str(formulas(tmp_path))
    rows = ("1 2 + x", "2 1 = y", "1 = x y")
    config = SynthConfig(8, text, str(photo_formulas(tmp_path)), shares=Shares(photo_style=0.5))
    more = dataclasses.replace(
        config, photo_glyphs=str(glyphs_pack(tmp_path / "photo-glyphs.npz", *rows))
    )
    plain, with_photo_glyphs = Mixture(pack, config).open(), Mixture(pack, more).open()

    def differ(kind: str) -> int:
        made = (
            [
                own.make_one(kind, np.random.default_rng(seed)).picture
                for own in (plain, with_photo_glyphs)
            ]
            for seed in range(20)
        )
        return sum(one.tobytes() != other.tobytes() for one, other in made)

    assert differ("varied") == differ("plain") == 0
    assert differ("photo_style") > 15  # for it is chance whose hand it is, other chances follow
    bank = with_photo_glyphs.composed.bank
    assert len(bank.photo_writers) == len(rows)
    for seed in range(20):
        sample = with_photo_glyphs.make_one("photo_style", np.random.default_rng(seed))
        assert sample.boxes.shape == (len(unfold(sample.tree)), 4)
        assert sample.picture.any()


@pytest.mark.slow
def test_fonts_write_where_a_share_asks_for_them(tmp_path: Path) -> None:
    pack, text = str(ink_pack(tmp_path)), str(formulas(tmp_path))
    config = SynthConfig(8, text, str(photo_formulas(tmp_path)), shares=Shares(photo_style=0.5))
    rows = ("1 2 + x y =", "2 1 = y x -")
    fonts = dataclasses.replace(config, hands=(str(glyphs_pack(tmp_path / "f.npz", *rows)),))
    composed, exchange = (
        dataclasses.replace(own, hands_share=1.0) for own in (config.composed, config.exchange)
    )
    plain, unused, composing, exchanging = (
        Mixture(pack, own).open()
        for own in (
            config,
            fonts,
            dataclasses.replace(fonts, composed=composed),
            dataclasses.replace(fonts, exchange=exchange),
        )
    )

    def differ(kind: str, mixer: mixture.Mixer) -> int:
        made = (
            [own.make_one(kind, np.random.default_rng(seed)).picture for own in (plain, mixer)]
            for seed in range(20)
        )
        return sum(one.tobytes() != other.tobytes() for one, other in made)

    assert len(unused.composed.bank.hands) == len(rows)
    assert not any(differ(kind, unused) for kind in ("composed", "varied", "plain", "photo_style"))
    # Each share is of its own kind of sample.
    assert differ("composed", composing) > 10
    assert not any(differ(kind, composing) for kind in ("varied", "plain", "photo_style"))
    assert differ("varied", exchanging) > 3
    assert not any(differ(kind, exchanging) for kind in ("plain", "photo_style"))
    missing = dataclasses.replace(config, hands=(str(tmp_path / "none.npz"),))
    with pytest.raises(SanError, match=r"none\.npz"):
        Mixture(pack, missing).open()


@pytest.mark.slow
def test_ink_that_is_no_photo_glyphs_is_one_line(tmp_path: Path) -> None:
    pack = str(ink_pack(tmp_path))
    config = SynthConfig(8, str(formulas(tmp_path)), photo_glyphs=pack)
    with pytest.raises(SanError, match="no row of extracted glyphs"):
        Mixture(pack, config).open()
    with pytest.raises(SanError, match=r"none\.npz"):
        Mixture(pack, dataclasses.replace(config, photo_glyphs=str(tmp_path / "none.npz"))).open()


def placed(folder: Path, photos: Path) -> Path:
    """Places of its symbols, from left to right, where each is one piece of ink."""
    pack = Pack.load(photos)
    marked = {}
    for place, name in enumerate(pack.ids):
        ink = (pack.image(place) > 0).astype(np.uint8)
        found = find_components(ink)
        labels = np.zeros(ink.shape, np.uint8)
        symbols = sum(1 for _ in pack.tree(place).walk())
        if len(found.stats) == symbols:
            for number, piece in enumerate(found.stats[:, 0].argsort()):
                labels[found.labels == piece + 1] = number + 1
        marked[name] = PhotoMask(pack.latex[place], labels, stroke_width(ink))
    path = folder / "photo-masks.npz"
    write_photo_masks(marked, path)
    return path


@pytest.mark.slow
def test_photographs_are_recombined_where_their_places_are_known(tmp_path: Path) -> None:
    photos = photo_pack(tmp_path, ("x + 1", "2 + x y"))
    config = SynthConfig(
        8,
        str(formulas(tmp_path)),
        photos=str(photos),
        photo_glyphs=str(
            glyphs_pack(tmp_path / "photo-glyphs.npz", "1 2 + x", "2 1 y x", "1 + x y")
        ),
        photo_masks=str(placed(tmp_path, photos)),
        shares=only("photographed"),
    )
    mixer = Mixture(str(ink_pack(tmp_path)), config).open()
    assert mixer.collage is not None
    labels = {parse("x + 1"), parse("2 + x y")}
    rng = np.random.default_rng(0)
    new = known = 0
    for _ in range(60):
        sample = mixer.make(rng, 0.0)
        assert sample.boxes.shape == (len(unfold(sample.tree)), 4)
        new += sample.tree not in labels
        for left, top, right, bottom in sample.boxes[np.isfinite(sample.boxes[:, 0])]:
            known += 1
            own = sample.picture[round(top) : round(bottom), round(left) : round(right)]
            assert own.any()
    assert new > 20
    assert known > 150


@pytest.mark.slow
def test_masks_that_do_not_fit_are_one_line(tmp_path: Path) -> None:
    photos, pack = photo_pack(tmp_path), str(ink_pack(tmp_path))
    photo_masks = str(placed(tmp_path, photos))
    photo_glyphs = str(glyphs_pack(tmp_path / "photo-glyphs.npz", "1 2 + x"))
    config = SynthConfig(
        8,
        str(formulas(tmp_path)),
        photos=str(photos),
        photo_glyphs=photo_glyphs,
        photo_masks=photo_masks,
    )
    photo_pack(tmp_path, ("x + 2", "y = 2"))  # in the same file, under the same names
    with pytest.raises(SanError, match="its mask is that of another photograph"):
        Mixture(pack, config).open()
    with pytest.raises(SanError, match=r"photos\.npz: no usable masks"):
        Mixture(pack, dataclasses.replace(config, photo_masks=str(photos))).open()
    with pytest.raises(SanError, match=r"synth\.photo_masks needs synth\.photos"):
        dataclasses.replace(config, photo_glyphs="")
