"""Procedural photographs: a drawn picture as if written on paper and taken with a telephone.

Design choices
- A `PaperPage` says everything that differs from one photograph to another, so that a test or a
  figure names just what it is about; `random_page` draws all of it at once, from a `PaperConfig`.
- Deterministic: the same picture, page and seed make the same pixels.
- The order is that of the world: paper, ruling, ink; then the camera's view, light, lens, sensor
  and JPEG.
- All arithmetic is on whole arrays; the light and the stains are made small and enlarged.
"""

from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Picture
from san.synth.photo.config import Colour, Counts, Pair, PaperConfig

Photograph = NDArray[np.uint8]
"""Height x width x red, green, blue."""
Field = NDArray[np.float32]

CLOSE_UP = PaperConfig(zoom=(0.6, 3.0))
"""Photographs of a formula alone; those of training are taken from farther away."""
SHADOW_STEEPNESS = 4
"""Of a logistic edge: within its softness light falls from 88% to 12%. No knob, but its unit."""
_LOTS = 1 << 30
"""Of which one is drawn: with a power of two that takes as many bits as to choose one of two."""


class Ruling(Enum):
    PLAIN = "plain"
    RULED = "ruled"
    SQUARED = "squared"


@dataclass(frozen=True)
class PaperPage:
    """Paper, pen, light and camera. Lengths are in pixels of the photograph."""

    paper: Colour = (236, 232, 222)
    ink: Colour = (35, 35, 45)
    ruling: Ruling = Ruling.PLAIN
    line: Colour = (150, 175, 205)  # of the ruling
    spacing: float = 60.0  # from line to line
    lines_per_spacing: float = PaperConfig.lines_per_spacing  # that would fill the room between two
    zoom: float = 2.0  # pixels of the photograph for one of the picture
    edge_blur: float = (
        PaperConfig.edge_blur
    )  # pixels of the picture: blurred and cut anew, strokes are round
    pen: float = 0.0  # pixels that strokes are wider than the picture's
    room: float = 60.0  # paper around the ink
    texture: float = 0.01  # of the paper: share of its brightness
    texture_cells: Counts = PaperConfig.texture_cells  # fibres and stains
    tilt: float = 0.0  # degrees
    perspective: float = 0.0  # how far a corner may move, as share of the side
    slack: float = PaperConfig.slack  # of the longer side: cut off again once the view is turned
    min_slack: int = PaperConfig.min_slack  # pixels that are cut off in any case
    uneven: float = 0.1  # how much of the light is lost towards the dark side
    shadow: float = 0.0  # how much of the light a cast shadow takes
    shadow_softness: Pair = PaperConfig.shadow_softness  # range of its edge, in half sides
    shadow_offset: Pair = (
        PaperConfig.shadow_offset
    )  # range of its edge from the middle, in half sides
    blur: float = 0.8  # of the lens, standard deviation
    noise: float = 0.01  # of the sensor, standard deviation as share of white
    jpeg: int = 85  # quality; 0 for none


def photograph(picture: Picture, page: PaperPage, seed: int = 0) -> Photograph:
    """The picture (255 ink on 0) as a photograph of the page."""
    rng = np.random.default_rng(seed)
    written = _written(picture, page)
    slack = round(page.slack * max(written.shape)) + page.min_slack
    ink = np.pad(written, slack)
    sheet = np.asarray(page.paper, np.float32) * _texture(ink.shape, page, rng)[..., None]
    _mix(sheet, _ruled(ink.shape, page, rng), page.line)
    _mix(sheet, ink, page.ink)
    seen = _viewed(sheet, page, rng)[slack:-slack, slack:-slack]
    seen *= _light(seen.shape[:2], page, rng)[..., None]
    if page.blur > 0:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), page.blur), np.float32)
    if page.noise > 0:
        seen = seen + rng.normal(0, 255 * page.noise, seen.shape).astype(np.float32)
    taken = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
    return _compressed(taken, page.jpeg) if page.jpeg else taken


def random_page(seed: int, config: PaperConfig = CLOSE_UP) -> PaperPage:
    """Any page that people photograph: some of them dark, some ruled or squared."""
    rng = np.random.default_rng(seed)
    size = float(np.exp(rng.uniform(*np.log(config.zoom))))
    if rng.random() < config.dark_chance:
        paper = _levels(config.dark_paper, rng)
        ink = _levels(config.dark_ink, rng)
    else:
        low, high = config.light_paper
        paper = rng.integers(low, high + 1) + _levels(config.light_paper_tint, rng)
        ink = rng.choice(np.array(config.pens)) + _levels(config.pen_tint, rng)
    line = paper + (ink - paper) * rng.uniform(*config.line_darkness)
    return PaperPage(
        paper=_colour(paper),
        ink=_colour(ink),
        ruling=rng.choice(np.array([Ruling(name) for name in config.rulings.split()])),
        line=_colour(line + rng.normal(0, config.line_tint, 3)),
        spacing=float(size * rng.uniform(*config.line_spacing)),
        lines_per_spacing=config.lines_per_spacing,
        zoom=size,
        edge_blur=config.edge_blur,
        pen=float(size * rng.uniform(*config.pen_change)),
        room=float(size * rng.uniform(*config.margin)),
        texture=float(rng.uniform(*config.texture)),
        texture_cells=config.texture_cells,
        tilt=float(rng.normal(0, config.tilt)),
        perspective=float(rng.uniform(*config.perspective)),
        slack=config.slack,
        min_slack=config.min_slack,
        uneven=float(rng.uniform(*config.uneven_light)),
        shadow=_shadow(config, rng),
        shadow_softness=config.shadow_softness,
        shadow_offset=config.shadow_offset,
        blur=float(size * rng.uniform(*config.blur)),
        noise=float(rng.uniform(*config.noise)),
        jpeg=int(rng.integers(config.jpeg_quality[0], config.jpeg_quality[1] + 1)),
    )


def _shadow(config: PaperConfig, rng: np.random.Generator) -> float:
    """How much of the light a shadow takes; 0 where there is none."""
    shadow = float(rng.uniform(*config.shadow))
    return shadow if rng.integers(_LOTS) >= (1 - config.shadow_chance) * _LOTS else 0.0


def _levels(ends: tuple[int, int], rng: np.random.Generator) -> NDArray[np.int64]:
    """One for each colour, both ends included."""
    return rng.integers(ends[0], ends[1] + 1, 3)


def _colour(values: NDArray[np.generic]) -> Colour:
    red, green, blue = np.clip(np.asarray(values, np.float64), 0, 255).astype(int).tolist()
    return red, green, blue


def _written(picture: Picture, page: PaperPage) -> Field:
    """How much ink lies on each pixel, 0 to 1, with paper around it."""
    height, width = picture.shape
    size = (max(1, round(width * page.zoom)), max(1, round(height * page.zoom)))
    # Blurred and cut anew, so that enlarged strokes are round and not made of squares.
    soft = cv2.GaussianBlur(picture.astype(np.float32) / 255, (0, 0), page.edge_blur)
    how = cv2.INTER_AREA if page.zoom < 1 else cv2.INTER_CUBIC
    soft = cv2.resize(soft, size, interpolation=how)
    inside = (soft > 0.5).astype(np.uint8)
    distance = cv2.distanceTransform(inside, cv2.DIST_L2, 5) - cv2.distanceTransform(
        1 - inside, cv2.DIST_L2, 5
    )
    ink = np.clip(distance + page.pen / 2 + np.where(distance > 0, 0.0, 1.0), 0, 1)
    return np.pad(ink.astype(np.float32), round(page.room))


def _texture(shape: tuple[int, ...], page: PaperPage, rng: np.random.Generator) -> Field:
    """Fibres and stains: noise of two coarsenesses about 1."""
    texture = np.ones(shape, np.float32)
    for cell in page.texture_cells:
        texture += _clouds(shape, cell, rng) * page.texture
    return texture


def _clouds(shape: tuple[int, ...], cell: int, rng: np.random.Generator) -> Field:
    small = rng.normal(0, 1, (shape[0] // cell + 2, shape[1] // cell + 2)).astype(np.float32)
    size = (shape[1], shape[0])
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), np.float32)


def _ruled(shape: tuple[int, ...], page: PaperPage, rng: np.random.Generator) -> Field:
    """How much of a line lies on each pixel."""
    lines = np.zeros(shape, np.float32)
    if page.ruling is Ruling.PLAIN:
        return lines
    thickness = max(1.0, page.spacing / page.lines_per_spacing)
    for axis in (0, 1) if page.ruling is Ruling.SQUARED else (0,):
        place = (np.arange(shape[axis]) + rng.uniform(0, page.spacing)) % page.spacing
        line = np.clip(thickness - np.abs(place - page.spacing / 2) + 0.5, 0, 1)
        lines = np.maximum(lines, line[:, None] if axis == 0 else line[None, :])
    return lines.astype(np.float32)


def _mix(sheet: Field, amount: Field, colour: Colour) -> None:
    sheet += amount[..., None] * (np.asarray(colour, np.float32) - sheet)


def _viewed(sheet: Field, page: PaperPage, rng: np.random.Generator) -> Field:
    """The sheet as it lies before the camera: turned, and farther away at one side."""
    if not (page.tilt or page.perspective):
        return sheet
    height, width = sheet.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = corners + rng.uniform(-1, 1, (4, 2)) * page.perspective * min(height, width)
    turn = np.deg2rad(page.tilt)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = np.array([width, height]) / 2
    moved = (moved - middle) @ spin.T + middle
    view = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    seen = cv2.warpPerspective(sheet, view, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32)


def _light(shape: tuple[int, ...], page: PaperPage, rng: np.random.Generator) -> Field:
    """How much light falls on each pixel: a lamp at one side, and a shadow with a soft edge."""
    rows, columns = np.linspace(-1, 1, shape[0]), np.linspace(-1, 1, shape[1])
    direction = rng.uniform(0, 2 * np.pi)
    slope = np.cos(direction) * columns[None] + np.sin(direction) * rows[:, None]
    light = 1 - page.uneven * (slope / 2 + 0.5)
    if page.shadow:
        across = rng.uniform(0, 2 * np.pi)
        edge = np.cos(across) * columns[None] + np.sin(across) * rows[:, None]
        softness = rng.uniform(*page.shadow_softness)
        offset = rng.uniform(*page.shadow_offset)
        light *= 1 - page.shadow / (1 + np.exp(-(edge - offset) / softness * SHADOW_STEEPNESS))
    return np.asarray(light, np.float32)


def _compressed(taken: Photograph, quality: int) -> Photograph:
    _, coded = cv2.imencode(".jpg", taken[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    decoded = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return np.ascontiguousarray(decoded[..., ::-1])
