from dataclasses import replace

import numpy as np
import pytest

from san.synth.photo.config import PaperConfig
from san.synth.photo.paper import PaperPage, Ruling, photograph, random_page
from tests.images.photographs import formula

QUIET = PaperPage(texture=0, noise=0, uneven=0, blur=0, jpeg=0)


@pytest.mark.slow
def test_the_same_seed_makes_the_same_photograph() -> None:
    page = random_page(5)
    assert page == random_page(5)
    assert page != random_page(6)
    assert np.array_equal(photograph(formula(), page, 3), photograph(formula(), page, 3))
    assert not np.array_equal(photograph(formula(), page, 3), photograph(formula(), page, 4))


@pytest.mark.slow
def test_paper_and_ink_have_their_colours() -> None:
    page = replace(QUIET, paper=(200, 180, 160), ink=(10, 20, 90))
    colours, counts = np.unique(
        photograph(formula(), page).reshape(-1, 3), axis=0, return_counts=True
    )
    common = [tuple(colours[place].tolist()) for place in np.argsort(-counts)[:2]]
    assert common == [(200, 180, 160), (10, 20, 90)]


def test_size_and_room() -> None:
    drawn = formula()
    photo = photograph(drawn, replace(QUIET, zoom=2, room=50))
    assert photo.shape == (2 * drawn.shape[0] + 100, 2 * drawn.shape[1] + 100, 3)


def test_a_wider_pen_leaves_more_ink() -> None:
    amounts = [
        int((photograph(formula(), replace(QUIET, pen=pen))[..., 0] < 120).sum())
        for pen in (-2.0, 0.0, 3.0)
    ]
    assert amounts[0] < 0.8 * amounts[1]
    assert amounts[2] > 1.3 * amounts[1]


@pytest.mark.parametrize("ruling", [Ruling.RULED, Ruling.SQUARED])
def test_rulings_lie_their_spacing_apart(ruling: Ruling) -> None:
    page = replace(QUIET, ruling=ruling, spacing=50.0)
    red = photograph(np.zeros((200, 400), np.uint8), page)[..., 0]
    down = np.flatnonzero(np.diff((np.median(red, axis=1) < 200).astype(int)) == 1)
    across = np.flatnonzero(np.diff((np.median(red, axis=0) < 200).astype(int)) == 1)
    assert set(np.diff(down)) <= {49, 50, 51}
    assert len(down) >= 9
    assert (len(across) > 0) == (ruling is Ruling.SQUARED)


def test_a_shadow_takes_its_share_of_the_light() -> None:
    lit = photograph(formula(), QUIET)[..., 0].astype(int)
    dark = photograph(formula(), replace(QUIET, shadow=0.5))[..., 0].astype(int)
    assert np.percentile(dark, 5) < 0.6 * np.percentile(lit, 50)
    assert (dark <= lit).all()


@pytest.mark.parametrize(("chance", "least", "most"), [(0.0, 0, 0), (0.2, 20, 60), (1.0, 200, 200)])
def test_as_many_pages_have_a_shadow_as_said(chance: float, least: int, most: int) -> None:
    config = PaperConfig(shadow_chance=chance)
    shadows = [random_page(seed, config).shadow for seed in range(200)]
    assert least <= sum(shadow > 0 for shadow in shadows) <= most


def test_rulings_are_thinner_the_more_of_them_would_fill_the_page() -> None:
    nothing = np.zeros((200, 400), np.uint8)
    darkness = [
        255.0 - float(photograph(nothing, replace(QUIET, ruling=Ruling.RULED, **lines)).mean())
        for lines in ({"lines_per_spacing": 10.0}, {}, {"lines_per_spacing": 60.0})
    ]
    assert darkness == sorted(darkness, reverse=True)
    assert len(set(darkness)) == 3


@pytest.mark.slow
def test_every_random_page_can_be_photographed() -> None:
    config = PaperConfig(zoom=(0.6, 1.5))
    drawn = formula()
    for seed in range(10):
        page = random_page(seed, config)
        photo = photograph(drawn, page, seed)
        assert photo.dtype == np.uint8
        assert photo.std() > 2
        sides = zip(photo.shape, drawn.shape, strict=False)
        assert all(seen == round(side * page.zoom) + 2 * round(page.room) for seen, side in sides)
