"""How many printed formulas are read: labels of CROHME 2014, typeset.

    python benchmarks/print.py [--count 60] [--seed 0] [--quick] [--fonts cm libertine ...]

Each label is set by matplotlib's mathtext, as large and as fine as a scan of a large print (20 pt,
150 dpi) and as a page on a screen (12 pt, 96 dpi), with some paper around it: in Computer Modern,
and in Linux Libertine (Debian's fonts-linuxlibertine), which no training sample is printed with.
Labels that mathtext cannot set are passed over and counted. Needs the corpus (SAN_DATA, or
shared/data).
"""

import argparse
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.mathtext import MathTextParser
from PIL import Image
from rich.progress import track

from corpora import CROHME
from san.data.labels import load_truths
from san.errors import SanError, run_or_exit
from san.grammar import Expression, parse, to_latex
from san.images.bitmap import Grey
from san.reader import Recognizer

SIZES = ((20, 150), (12, 96))
"""Points and dots per inch."""
POINTS_PER_INCH = 72
MARGIN = 10
"""Points of paper around a formula."""
LIBERTINE = "libertine"
FONTS = ("cm", LIBERTINE, "stix", "stixsans", "dejavusans", "dejavuserif")
"""Those of mathtext, and the one that is held out."""
LIBERTINE_FILES = ("LinLibertine_R.otf", "LinLibertine_RI.otf")
FONT_FOLDER = Path("/usr/share/fonts")


def typeset(tree: Expression, points: int, dpi: int, font: str = "cm") -> Grey | None:
    """Black on white; None where mathtext does not know a construct."""
    family = "custom" if font == LIBERTINE else font
    properties = FontProperties(size=points, math_fontfamily=family)
    text = f"${to_latex(tree)}$"
    try:
        width, height, depth, *_ = MathTextParser("path").parse(text, POINTS_PER_INCH, properties)
    except ValueError:
        return None
    # Its own `math_to_image` leaves no paper, and cuts off what stands out of the box.
    wide, high = width + 2 * MARGIN, height + 2 * MARGIN
    figure = Figure(figsize=(wide / POINTS_PER_INCH, high / POINTS_PER_INCH))
    figure.text(MARGIN / wide, (depth + MARGIN) / high, text, fontproperties=properties)
    file = BytesIO()
    figure.savefig(file, dpi=dpi, format="png")
    with Image.open(file) as picture:
        return np.asarray(picture.convert("L"), np.uint8)


def take_libertine() -> bool:
    """Makes Libertine the custom font of mathtext; whether it is installed."""
    files = {path.name: path for path in FONT_FOLDER.rglob("LinLibertine*.otf")}
    if not all(name in files for name in LIBERTINE_FILES):
        return False
    for name in LIBERTINE_FILES:
        fontManager.addfont(files[name])
    family = fontManager.ttflist[-1].name
    rcParams["mathtext.rm"] = family
    rcParams["mathtext.it"] = f"{family}:italic"
    rcParams["mathtext.cal"] = family
    rcParams["mathtext.fallback"] = "stix"
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="labels that are typeset and read")
    parser.add_argument("--seed", type=int, default=0, help="of their choice")
    parser.add_argument("--quick", action="store_true", help="in one pass")
    parser.add_argument("--weights", default=None, help="else those that are shipped")
    parser.add_argument("--fonts", nargs="+", choices=FONTS, default=FONTS[:2])
    options = parser.parse_args()
    labels = load_truths(CROHME / "test2014.tsv").latex
    order = np.random.default_rng(options.seed).permutation(len(labels))
    trees = [parse(label) for label in labels.values()]
    chosen: list[Expression] = []
    skipped = 0
    for place in order.tolist():
        if len(chosen) == options.count:
            break
        if typeset(trees[place], *SIZES[0]) is None:
            skipped += 1
        else:
            chosen.append(trees[place])
    print(f"{len(chosen)} labels of {len(labels)}; mathtext cannot set {skipped} that were drawn")
    reader = Recognizer(options.weights, quick=options.quick)
    has_libertine = take_libertine()
    for font in options.fonts:
        if font == LIBERTINE and not has_libertine:
            print(f"{font}: not installed (fonts-linuxlibertine)")
            continue
        for points, dpi in SIZES:
            right = 0
            for tree in track(chosen, f"{font}, {points} pt", transient=True):
                picture = typeset(tree, points, dpi, font)
                assert picture is not None, "mathtext sets it in any size and font"
                right += _reading(reader, picture) == tree
            print(f"{font}, {points} pt at {dpi} dpi: {right} of {len(chosen)} are right")


def _reading(reader: Recognizer, picture: Grey) -> Expression | None:
    try:
        return reader.read(picture).expression
    except SanError:  # no ink is found
        return None


if __name__ == "__main__":
    run_or_exit(main)
