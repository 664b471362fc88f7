"""What photographs show of their writers' manner: examples like those of ink, by pupil.

Design choices
- A box is that of a symbol's pixels less a stroke's width, for ink has none. Sizes are fitted over
  all photographs as over a corpus (`measure`); an em means what the bank's ink says that it is, as
  it does for harvested glyphs (`pupils`).
- Only symbols that touch nobody have places, so their gaps alone would tell of a tidier school than
  there is. Where several neighbours of the main line have no places, and all that lies between
  those that have is one piece of ink, they touch: their gap is what the piece is wider than they
  usually are, each; the like where pieces are fewer than symbols. So touching neighbours are as
  frequent among examples as on photographs.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import cv2
import numpy as np

from san.grammar.tree import Relation
from san.ink.strokes import Box
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.photo_glyphs import MIN_GLYPHS_TO_MEASURE, calibrate, size_and_height
from san.synth.layout.measure import Chains, Floats, link_chains, measure
from san.synth.layout.observe import RINGS, Example, Key, Observation, gap_key
from san.synth.layout.outline import Outline, outline
from san.synth.layout.symbol_classes import spacing_class
from san.synth.photo.collage_source import boxes_of
from san.synth.sources import LabelledPhotos

ON_BAR = 7
"""The least number that parts of a fraction have for their relation (`linked`)."""
SPECK = 1.6
"""Widths of a stroke: what is no longer is no symbol."""
MOST = 8
"""Symbols without places in a row: of more nobody knows that none is lost."""
ODD = 0.3
"""Em a symbol: what pieces may be wider or narrower than symbols usually are."""
TOUCHING = (-0.2, 0.0)
"""Em: the gap between boxes of two that touch. Where it comes out as more, one of them is wide."""
WANTED = 0.6
"""Of those that touch: others come to, once other glyphs stand there and strokes are wider."""

Seen = tuple[int, Key, Example]


@dataclass
class _Page:
    """A photograph."""

    hand: int
    tree: Outline
    boxes: Floats  # of each symbol, without the pen; NaN: no place
    outlierrs: list[tuple[float, float]]  # columns of pieces that nobody knows, without the pen
    em: list[float]
    own: list[Box | None]


def seen(bank: GlyphBank, album: LabelledPhotos) -> Iterator[Seen]:
    """Examples, and whose each is: a pupil of the bank, or a number that no hand has."""
    pages = [page for place in range(len(album.photos)) if (page := _page(bank, album, place))]
    if not pages:
        return
    widths = _sized(bank, pages)
    touching: list[Seen] = []
    shown: Counter[Key] = Counter()
    pairs: Counter[Key] = Counter()
    for page in pages:
        for key, example in Observation(page.tree, page.em, page.own, RINGS).all():
            shown[key] += 1
            yield page.hand, key, example
        touching += [(page.hand, *own) for own in _touching(page, widths)]
        pairs.update(gap_key(page.tree, *own) for own in pairwise(page.tree.chain(0)))
    yield from _as_often(touching, shown, pairs)


def _as_often(touching: list[Seen], shown: Counter[Key], pairs: Counter[Key]) -> Iterator[Seen]:
    """So many of these as make up the part of all examples that they are of all neighbours.

    For most that touch are found, but of those that do not only such as both have places.
    """
    by_key: dict[Key, list[Seen]] = {}
    for own in touching:
        by_key.setdefault(own[1], []).append(own)
    for key, found in by_key.items():
        share = min(WANTED * len(found) / max(pairs[key], 1), 0.5)
        count = min(round(shown[key] * share / (1 - share)), len(found))
        yield from (found[number * len(found) // count] for number in range(count))


def _page(bank: GlyphBank, album: LabelledPhotos, place: int) -> _Page | None:
    name, tree = album.photos.ids[place], album.photos.tree(place)
    marked = album.masks.of(name)
    if marked is None or not tree.symbols:
        return None
    shape = outline(tree)
    boxes = boxes_of(marked.labels, len(shape)).astype(np.float64)
    if not np.isfinite(boxes[:, 0]).any():
        return None
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    half = np.maximum((boxes[:, 2:] - boxes[:, :2] - marked.width) / 2, 0)
    bare = ((album.photos.image(place) > 127) & (marked.labels == 0)).astype(np.uint8)
    stats = cv2.connectedComponentsWithStats(bare, connectivity=8)[2][1:]
    large = stats[:, 2:4].max(axis=1, initial=0) > SPECK * marked.width
    half_pen = marked.width / 2
    sides = [
        (left + half_pen, left + width - half_pen) for left, _, width, _, _ in stats[large].tolist()
    ]
    hand = bank.photo_writer_of.get(name, -2 - place)
    boxes = np.concatenate((middle - half, middle + half), axis=1)
    return _Page(hand, shape, boxes, sides, [], [])


def _sized(bank: GlyphBank, pages: list[_Page]) -> dict[str, float]:
    """Fit all sizes; how wide each symbol usually is, in em."""
    name, chain, parent, relation = link_chains(page.tree for page in pages)
    boxes = np.concatenate([page.boxes for page in pages])
    names = [own for page in pages for own in page.tree.names]
    # Words and roots are as large as what they are written with.
    shaped = [
        spacing_class(own) != "function" and Relation.INSIDE not in parts
        for page in pages
        for own, parts in zip(page.tree.names, page.tree.parts, strict=True)
    ]
    placed = np.isfinite(boxes[:, 0])
    have = placed & np.array(shaped) if (placed & np.array(shaped)).any() else placed
    # With so few, which part of fractions is the larger one would be told by chance.
    relation = np.minimum(relation, ON_BAR)
    fitted = measure(Chains(name[have], chain[have], boxes[have], parent, relation))
    em = fitted.em[chain]
    shapes: dict[str, list[tuple[float, float]]] = {}
    widths: dict[str, list[float]] = {}
    for place, axis, outlier in zip(
        np.flatnonzero(have).tolist(), fitted.axis.tolist(), fitted.outlier.tolist(), strict=True
    ):
        if not outlier:
            box = Box(*boxes[place].tolist())
            shapes.setdefault(names[place], []).append(size_and_height(box, em[place].item(), axis))
            widths.setdefault(names[place], []).append(box.width / em[place].item())
    rule = calibrate(bank, shapes).em
    # A chain of which nothing was measured has no size to be trusted.
    sized = np.bincount(chain[have], minlength=len(parent))[chain] > 0
    known = (placed & sized).tolist()
    first = 0
    for page in pages:
        last = first + len(page.tree)
        page.em = (em[first:last] * rule).tolist()
        page.own = [
            Box(*box) if fine else None
            for box, fine in zip(page.boxes.tolist(), known[first:last], strict=True)
        ]
        first = last
    return {
        own: float(np.median(found)) / rule
        for own, found in widths.items()
        if len(found) >= MIN_GLYPHS_TO_MEASURE
    }


def _touching(page: _Page, widths: dict[str, float]) -> Iterator[tuple[Key, Example]]:
    """The gaps of neighbours on the main line that are one piece."""
    tree = page.tree
    line = tree.chain(0)
    for start, end in _runs([_is_placed(page, place) for place in line]):
        symbols = line[start:end]
        plain = all(tree.names[own] in widths and not tree.parts[own] for own in symbols)
        if not (plain and 1 < len(symbols) <= MOST):
            continue
        low = _extent(page, line[start - 1])[1] if start else -np.inf
        high = _extent(page, line[end])[0] if end < len(line) else np.inf
        pieces = [own for own in page.outlierrs if low < sum(own) / 2 < high]
        usual = [widths[tree.names[own]] for own in symbols]
        wide = [(right - left) / page.em[symbols[0]] for left, right in _columns(pieces)]
        for first, last, gap in _shared(usual, wide):
            for one, other in pairwise(symbols[first:last]):
                yield gap_key(tree, one, other), (gap,)


def _columns(pieces: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Pieces from left to right; those above one another (an equals sign) are one."""
    found: list[tuple[float, float]] = []
    for left, right in sorted(pieces):
        before, end = found[-1] if found else (left, left)
        if min(end, right) - left > min(right - left, end - before) / 2:
            found[-1] = (before, max(end, right))
        else:
            found.append((left, right))
    return found


def _shared(usual: list[float], wide: list[float]) -> Iterator[tuple[int, int, float]]:
    """Which symbols have a piece together, and how far apart they are.

    By the widths of symbols and pieces, in em: what fits best, if it fits at all.
    """
    count = len(usual)
    if not 0 < len(wide) < count:
        return
    best, least = [0, count], ODD * count
    for cuts in combinations(range(1, count), len(wide) - 1):
        ends = [0, *cuts, count]
        miss = sum(
            abs(own - sum(usual[first:last]))
            for own, (first, last) in zip(wide, pairwise(ends), strict=True)
        )
        if miss < least:
            best, least = ends, miss
    if least < ODD * count:
        for own, (first, last) in zip(wide, pairwise(best), strict=True):
            if last - first > 1:
                gap = (own - sum(usual[first:last])) / (last - first - 1)
                yield first, last, min(max(gap, TOUCHING[0]), TOUCHING[1])


def _is_placed(page: _Page, place: int) -> bool:
    """Whether a symbol and all that hangs on it have places."""
    return bool(np.isfinite(page.boxes[place : place + page.tree.sizes[place], 0]).all())


def _extent(page: _Page, place: int) -> tuple[float, float]:
    """From where to where a symbol reaches with all that hangs on it."""
    boxes = page.boxes[place : place + page.tree.sizes[place]]
    return float(boxes[:, 0].min()), float(boxes[:, 2].max())


def _runs(placed: list[bool]) -> Iterator[tuple[int, int]]:
    """Where several that have no places begin and end."""
    start = 0
    for place, fine in enumerate([*placed, True]):
        if fine:
            if start < place:
                yield start, place
            start = place + 1
