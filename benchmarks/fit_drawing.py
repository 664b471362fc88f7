"""How closely `san.ink.draw` fits the bitmaps that the field's papers are scored on.

    python benchmarks/fit_drawing.py [--figure docs/figures/ink-fit.png]

Reads the ink and the bitmaps of CROHME 2014 and 2016 (the folder SAN_DATA, or shared/data beside
the checkout), prints a table and draws the distributions. Takes about ten seconds.
"""

import argparse
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from san.ink import Pen, Sheet, draw, read_many, scale_of
from san.ink.draw import Picture

YEARS = ("2014", "2016")
MAX_DISTANCE = 2.0
"""Pixels: how far apart two inks may lie and still be the same line."""


@dataclass(frozen=True)
class Fit:
    name: str
    ratio: float  # our scale over theirs
    plain: float  # the same for a plain rule: the mean height of ALL strokes becomes 22 pixels
    overlap: (
        float  # the share of ink within MAX_DISTANCE pixels of the other's, drawn at THEIR scale
    )
    same: bool  # drawn at OUR scale: equal, pixel for pixel


def fits(data: Path, year: str) -> Iterator[Fit]:
    """Compare every bitmap of a year with our drawing of its ink."""
    with zipfile.ZipFile(data / "crohme" / f"test{year}.bitmaps.zip") as bitmaps:
        for sheet in read_many(data / "crohme" / f"test{year}.inkml.zip"):
            encoded = np.frombuffer(bitmaps.read(f"{sheet.name}.bmp"), np.uint8)
            bitmap = cv2.imdecode(encoded, cv2.IMREAD_GRAYSCALE)
            yield fit(sheet, np.asarray(bitmap, np.uint8))


def fit(sheet: Sheet, bitmap: Picture) -> Fit:
    theirs = scale_between(sheet, bitmap)
    ours = draw(sheet.ink)
    return Fit(
        name=sheet.name,
        ratio=scale_of(sheet.ink) / theirs,
        plain=22 / float(sheet.ink.sizes[:, 1].mean()) / theirs,
        overlap=overlap(draw(sheet.ink, scale=theirs), bitmap),
        same=ours.shape == bitmap.shape and bool((ours == bitmap).all()),
    )


def scale_between(sheet: Sheet, bitmap: Picture) -> float:
    """The scale at which a bitmap was drawn, measured along its ink's longer side."""
    box, border = sheet.ink.box, Pen().border
    height, width = bitmap.shape
    if box.width > box.height:
        return float((width - border) / box.width)
    return float((height - border) / box.height)


def overlap(one: Picture, other: Picture) -> float:
    """The lesser of the two shares of ink within MAX_DISTANCE pixels of the other's."""
    rows, columns = np.maximum(one.shape, other.shape)
    one, other = (_padded(picture, rows, columns) for picture in (one, other))
    return min(_covered(one, other), _covered(other, one))


def _padded(picture: Picture, rows: int, columns: int) -> Picture:
    height, width = picture.shape
    return np.pad(picture, [(0, rows - height), (0, columns - width)])


def _covered(ink: Picture, by: Picture) -> float:
    distance = cv2.distanceTransform(255 - by, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return float((distance[ink > 0] <= MAX_DISTANCE).mean())


def _row(year: str, results: list[Fit]) -> str:
    scales = [_spread([r.ratio for r in results]), _spread([r.plain for r in results])]
    overlaps = np.array([r.overlap for r in results])
    same = sum(r.same for r in results)
    share = same / len(results)
    cells = [
        year,
        f"{len(results):,}",
        *(f"{median:.3f} ± {deviation:.3f}" for median, deviation in scales),
        f"{(overlaps >= 0.95).mean():.1%}",
        f"{overlaps.min():.2%}",
        f"{same:,} ({share:.1%})",
    ]
    return f"| {' | '.join(cells)} |"


def _spread(ratios: list[float]) -> tuple[float, float]:
    """Median and log-deviation of some scales over theirs."""
    return float(np.median(ratios)), float(np.log(ratios).std())


def _figure(results: dict[str, list[Fit]], target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.4))
    edges = np.geomspace(0.5, 2, 81)
    for colour, (year, of_year) in zip(("tab:blue", "tab:orange"), results.items(), strict=True):
        plain, ours = [r.plain for r in of_year], [r.ratio for r in of_year]
        left.hist(plain, edges, histtype="step", color=colour, ls=":", label=f"{year}, plain rule")
        left.hist(ours, edges, histtype="step", color=colour, label=f"{year}, scale_of")
        overlaps = [r.overlap for r in of_year]
        right.hist(overlaps, np.linspace(0.997, 1, 31), histtype="step", color=colour, label=year)
    left.set(xlabel="scale / theirs", ylabel="images", title="Scale", xscale="log", yscale="log")
    left.set_xticks([0.5, 0.7, 1, 1.4, 2], ["0.5", "0.7", "1", "1.4", "2"], minor=False)
    left.minorticks_off()
    right.set(xlabel=f"share of the ink within {MAX_DISTANCE:g} px of the other's", ylabel="images")
    right.set(title="Overlap at their scale", yscale="log")
    for axes in (left, right):
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=110)


def main() -> None:
    from corpora import CORPORA  # here: tests import this file as a module of a package

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", type=Path, help="where to save the two distributions")
    figure: Path | None = parser.parse_args().figure
    results = {year: list(fits(CORPORA, year)) for year in YEARS}
    print("| year | images | scale_of | plain rule | overlap ≥ 95% | least overlap | same |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for year, of_year in results.items():
        print(_row(year, of_year))
    for year, of_year in results.items():
        print(f"not the same, {year}:", *(r.name for r in of_year if not r.same))
    if figure is not None:
        _figure(results, figure)


if __name__ == "__main__":
    main()
