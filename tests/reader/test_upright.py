"""Turned and tilted pictures are read as their upright twins, and boxes fit what was handed in."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from san.decoding.reading import Reading, ReadStep
from san.grammar import parse
from san.grammar.productions import unfold
from san.images.bitmap import FAR_MARGIN, MARGIN, Grey, extent
from san.images.clean.flat_ground import has_flat_ground
from san.images.clean.pipeline import NoInk
from san.images.view import View, ViewedImage
from san.ink import Box, draw
from san.ink.alphabet import compose
from san.reader import Formula, Recognizer
from san.reader.orientation import (
    QUARTERS,
    TILTS,
    Orientation,
    orientation_network,
    windows,
)
from san.reader.prepared import OtherView, prepare_image, prepare_ink
from san.reader.upright import (
    Look,
    likeliest,
    orientation_of,
    prepare_upright,
)
from san.synth.photo.paper import PaperPage, Ruling
from tests.images.photographs import formula, grey_photograph, likeness
from tests.ink.formulas import quadratic


def photograph(zoom: float = 2.0, room: int = 40) -> Grey:
    """Dark ink on light paper, larger than the network knows it."""
    ink = cv2.resize(formula(), None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC)
    return np.pad(np.rint(235 - ink * 0.8).astype(np.uint8), room, constant_values=235)


def boxes(read: Formula) -> np.ndarray:
    return np.array([symbol.box for symbol in read.symbols if symbol.box is not None])


def test_turning_a_picture_turns_what_the_network_says_of_it_and_nothing_else() -> None:
    upright = orientation_network()(formula())
    assert upright is not None
    assert np.exp(upright.scores).sum() == pytest.approx(1)
    assert int(upright.quarters.argmax()) == 0
    for quarters in range(QUARTERS):
        turned = orientation_network()(np.rot90(formula(), quarters))  # the other way round
        assert turned is not None
        assert np.roll(turned.quarters, -quarters) == pytest.approx(upright.quarters, abs=0.3)
    assert orientation_network()(np.zeros((40, 50), np.uint8)) is None


def test_windows_of_a_turned_picture_are_the_same_windows_turned() -> None:
    """Training turns windows instead of pictures: whatever else differed, it would learn by."""
    upright = windows(formula())
    for quarters in range(1, QUARTERS):
        turned = windows(np.rot90(formula(), quarters))
        back = np.rot90(turned, -quarters, (1, 2))
        for window in upright:  # parts of the same size may change places
            assert np.abs(back - window).max(axis=(1, 2, 3)).min() < 1e-3


@pytest.mark.parametrize("degrees", [-14.0, 0.0, 14.0])
def test_a_tilt_is_estimated(degrees: float) -> None:
    tilted = ViewedImage(photograph()).tilted(degrees).grey
    found = orientation_of(prepare_image(tilted))
    assert found is not None
    assert found.tilt(0)[0] == pytest.approx(degrees, abs=5)


@pytest.mark.slow
@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_turned_picture_reads_as_its_twin(reader: Recognizer, quarters: int) -> None:
    source = ViewedImage(photograph()).quarter_turned(quarters)
    upright, read = reader.read(photograph()), reader.read(source.grey)
    assert upright.turned == 0
    assert read.expression == upright.expression == parse(quadratic().truth or "")
    assert read.turned == pytest.approx({0: 0, 1: -90, 2: 180, 3: 90}[quarters])
    there = boxes(read)
    corners = source.view.to_source(there.reshape(-1, 2).astype(np.float64)).reshape(-1, 2, 2)
    back = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    assert back == pytest.approx(boxes(upright), abs=6)
    height, width = source.grey.shape
    assert read.to_dict()["source"] == {"kind": "image", "width": width, "height": height}
    assert read.to_dict().get("turned", 0) == read.turned
    assert bool(read.notes) == bool(quarters)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [-12.0, 15.0])
def test_a_tilted_picture_is_set_straight(reader: Recognizer, degrees: float) -> None:
    source = ViewedImage(photograph()).tilted(degrees)
    read = reader.read(source.grey)
    assert read.expression == parse(quadratic().truth or "")
    assert read.turned == pytest.approx(-degrees, abs=5)
    there, upright = boxes(read), boxes(reader.read(photograph()))
    middles = source.view.to_source((there[:, :2] + there[:, 2:]) / 2.0)
    # Boxes are close around the ink: that of a root, which is an angle, has another middle then.
    letters = (upright[:, 2:] - upright[:, :2]).min(axis=1) < 100
    assert letters.sum() == len(upright) - 1
    assert middles[letters] == pytest.approx((upright[:, :2] + upright[:, 2:])[letters] / 2, abs=12)


@pytest.mark.parametrize("degrees", [-13.0, 13.0])
def test_a_tilted_ruling_does_not_take_what_stands_on_it_along(
    reader: Recognizer, degrees: float
) -> None:
    row = compose([(name, Box(70 * n, 0, 70 * n + 46, 46)) for n, name in enumerate("x+a=b+y")])
    ink = cv2.resize(draw(row.ink), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    level = np.pad(np.rint(235 - ink * 0.8).astype(np.uint8), 60, constant_values=235)
    ground = int(np.nonzero((level < 150).any(axis=1))[0].max()) + 2
    cv2.line(level, (0, ground), (level.shape[1], ground), 90, 3)
    read = reader.read(ViewedImage(level).tilted(degrees).grey)
    assert read.latex == "x+a=b+y"
    assert read.turned == pytest.approx(-degrees, abs=1)


def test_upside_down_is_the_same_picture_and_leads_back() -> None:
    source = ViewedImage(photograph())
    upside_down = source.quarter_turned(2)
    image = prepare_image(source.grey)
    turned, cleaned = image.half_turned(upside_down), prepare_image(*upside_down)
    assert turned.view.turned == 180
    rows, columns = turned.picture.shape
    assert extent(turned.picture) == (MARGIN, MARGIN, columns - FAR_MARGIN, rows - FAR_MARGIN)
    assert turned.left == pytest.approx(cleaned.left, abs=2)
    assert turned.top == pytest.approx(cleaned.top, abs=2)
    box = Box(20, 30, 60, 50)
    # Another pixel may join two pieces: sizes then differ by a little.
    assert turned.to_source(box) == pytest.approx(cleaned.to_source(box), abs=5)
    back = turned.half_turned(upside_down.quarter_turned(2))
    assert (back.picture == image.picture).all()
    assert back.to_source(box) == pytest.approx(image.to_source(box))
    assert back.view.turned == 0


def test_ink_and_the_fields_own_bitmaps_are_upright_by_agreement() -> None:
    assert not prepare_upright(formula()).others
    assert prepare_upright(draw(quadratic().ink)).view.turned == 0
    assert not prepare_ink(quadratic().ink).others


def test_what_no_camera_took_is_turned_by_stronger_signs_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A print that looks much the same upside down, and a photograph of one."""
    flat = photograph()
    taken = flat + np.random.default_rng(0).integers(-2, 3, flat.shape).astype(np.uint8)
    assert has_flat_ground(flat)
    assert not has_flat_ground(taken)
    for signs, turned in ((3.0, (0.0, 180.0)), (9.0, (180.0, 180.0))):
        scores = np.full((QUARTERS, len(TILTS)), -20.0)
        scores[[0, 2], TILTS.index(0.0)] = 0.0, signs  # upside down, by so much
        found = Orientation(scores, 5)
        monkeypatch.setattr("san.reader.upright.orientation_of", lambda _, found=found: found)
        assert (prepare_upright(flat).view.turned, prepare_upright(taken).view.turned) == turned


def test_a_photograph_on_a_white_page_is_cleaned_as_one() -> None:
    """Its rulings end where it does: on the page they run from no side to the other."""
    squared = PaperPage(ruling=Ruling.SQUARED, spacing=42, uneven=0.3, shadow=0.3)
    photograph = grey_photograph(formula(), squared)
    alone = prepare_upright(photograph)
    on_page = prepare_upright(np.pad(photograph, 500, constant_values=255))
    assert likeness(alone.picture, on_page.picture) > 0.97
    assert on_page.by_camera
    boxes = [one.to_source(Box(0, 0, *one.picture.shape[::-1])) for one in (alone, on_page)]
    assert boxes[1] == pytest.approx([side + 500 for side in boxes[0]], abs=5)


def test_an_empty_page_has_no_ink_however_it_is_turned() -> None:
    with pytest.raises(NoInk):
        prepare_upright(np.full((300, 400), 230, np.uint8))


def test_what_is_known_to_be_upright_is_not_turned() -> None:
    """By its looks it is upside down, on its side or tilted; it is still cut out and cleaned."""
    for source in (
        ViewedImage(photograph()).quarter_turned(2),
        ViewedImage(photograph()).quarter_turned(1),
        ViewedImage(photograph()).tilted(12.0),
    ):
        assert prepare_upright(source.grey).view.turned
        known = prepare_upright(source.grey, known=True)
        assert known.view.turned == 0
        assert not known.others
        assert (known.picture == prepare_image(source.grey).picture).all()


@pytest.mark.slow
def test_a_recognizer_is_told_that_pictures_are_upright(reader: Recognizer) -> None:
    upside_down = ViewedImage(photograph()).quarter_turned(2).grey
    told = reader.with_upright()
    assert (reader.upright, told.upright, told.with_upright(False).upright) == (False, True, False)
    assert (
        reader.read(upside_down).turned == reader.read_page(upside_down).formulas[0].turned == 180
    )
    assert told.read(upside_down).turned == 0
    assert [one.turned for one in told.read_page(upside_down)] == [0]


@pytest.mark.parametrize("camera", [False, True])
def test_one_part_on_a_flat_ground_stays_as_it_lies(
    camera: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the network says of it; in a photograph that decides."""
    scores = np.full((QUARTERS, len(TILTS)), -20.0)
    scores[2, TILTS.index(0.0)] = 0.0
    monkeypatch.setattr("san.reader.upright.orientation_of", lambda _: Orientation(scores, 1))
    bracket = compose([("(", Box(0, 0, 30, 90))]).ink
    grey = np.pad(255 - cv2.resize(draw(bracket), None, fx=2, fy=2), 60, constant_values=255)
    if camera:
        grey = np.minimum(grey, 240) + np.random.default_rng(0).integers(0, 9, grey.shape)
    prepared = prepare_upright(grey.astype(np.uint8))
    assert prepared.view.turned == (180 if camera else 0)
    assert not prepared.others


ENOUGH = "a+b=c+d+2"


@pytest.mark.slow
def test_a_formula_that_runs_off_a_drawing_is_said_to(reader: Recognizer) -> None:
    whole = np.pad(255 - cv2.resize(formula(), None, fx=2, fy=2), 40, constant_values=255)
    middle = whole.shape[1] * 4 // 5
    ends = [x for x in range(middle, whole.shape[1]) if (whole[:, x] < 128).sum() > 2]
    for grey, cut in ((whole, False), (whole[:, : ends[0]], True)):
        assert any("reaches the edge" in note for note in reader.read(grey).notes) is cut


def look(likely: float, others: tuple[OtherView, ...] = (), latex: str = ENOUGH) -> Look:
    """An image whose reading has steps of this probability."""
    steps = (
        ReadStep(step, likely, (), np.zeros((1, 1), np.float32)) for step in unfold(parse(latex))
    )
    image = replace(prepare_image(formula()), others=others)
    return Look(image, None, [Reading(tuple(steps))])


def other(
    log_odds: float, likely: float, others: tuple[OtherView, ...] = (), latex: str = ENOUGH
) -> OtherView:
    seen = look(likely, others, latex)
    LOOKS[id(seen.prepared)] = seen
    return OtherView(log_odds, lambda: seen.prepared)


LOOKS: dict[int, Look] = {}


@pytest.mark.parametrize(
    ("first", "odds", "likely", "taken"),
    [
        (0.99, -2.0, 1.0, False),  # sure as it is: nobody looks
        (0.9, -2.0, 1.0, True),
        (0.9, -8.0, 1.0, False),  # hardly possible
        (0.9, -0.5, 0.8, False),  # looked at, and worse
        (0.3, -8.0, 0.9, True),  # hopeless as it is
        (0.30, -8.0, 0.31, False),
    ],
)
def test_another_way_is_looked_at_where_it_may_be_better(
    first: float, odds: float, likely: float, taken: bool
) -> None:
    best = likeliest(look(first, (other(odds, likely),)), lambda image: LOOKS[id(image)])
    assert best.readings[0].mean_probability == pytest.approx(likely if taken else first)
    assert not best.prepared.others


@pytest.mark.parametrize(
    ("first", "latex", "likely", "others", "taken"),
    [
        (0.9, "x+y=2", 0.96, "2=k+x", False),  # surer, and odd
        (0.9, "2=k+x", 0.96, "x+y=2", True),
        (0.94, "2=k+x", 0.9, "x+y=2", True),  # less sure, and a formula
        (0.99, "2=k+x", 0.97, "x+y=2", False),  # too sure to be looked at otherwise
    ],
)
def test_a_formula_that_hardly_anybody_writes_is_hardly_upright(
    first: float, latex: str, likely: float, others: str, taken: bool
) -> None:
    way = other(-1.5, likely, latex=others)
    best = likeliest(look(first, (way,), latex), lambda image: LOOKS[id(image)])
    assert best.readings[0].latex == (others if taken else latex)


def test_of_few_symbols_a_surer_reading_tells_little() -> None:
    """`(` is no less sure upside down; a row of symbols is."""
    for latex, taken in (("(", False), (ENOUGH, True)):
        best = likeliest(
            look(0.9, (other(-2.5, 0.98, latex=latex),), latex), lambda image: LOOKS[id(image)]
        )
        assert best.readings[0].mean_probability == pytest.approx(0.98 if taken else 0.9)


@pytest.mark.parametrize("latex", ["6=6", ENOUGH])
def test_a_few_symbols_hardly_tell_how_a_picture_lies(latex: str) -> None:
    first, way = look(0.3, latex=latex), other(-1.5, 0.99, latex=latex)
    seen = LOOKS[id(way.prepare())]
    upside_down = replace(seen.prepared, view=View(None, 180.0))
    as_seen = {id(upside_down): seen._replace(prepared=upside_down)}
    ways = (OtherView(-1.5, lambda: upside_down),)
    for others, turned in ((ways, True), ((), False)):
        whole = first._replace(prepared=replace(first.prepared, others=others))
        best = likeliest(whole, lambda image: as_seen[id(image)]).prepared
        assert best.view.turned == (180 if turned else 0)
        assert best.turned_by_few == (turned and latex == "6=6")


def test_ways_that_another_way_suggests_are_looked_at_too() -> None:
    nested = other(-1.0, 0.7, (other(-1.0, 0.99),))
    best = likeliest(look(0.6, (nested,)), lambda image: LOOKS[id(image)])
    assert best.readings[0].mean_probability == pytest.approx(0.99)
