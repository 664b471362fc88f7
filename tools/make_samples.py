"""Write samples/: formulas that people know, as ink, as pictures and as photographs; and the figure
that shows how one of them is read.

    python -m tools.make_samples

Design choices
- Formulas are text; everything that is drawn follows from it, a hand and a seed: run again, the
  files are the same.
- samples/README.md says what the shipped weights read of them, right or wrong: it is written last.
"""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from san.grammar import parse
from san.ink import Ink, Sheet, write_inkml
from san.ink.alphabet import SimulatedWriter
from san.reader import Recognizer
from san.reader.explain.figure import explain
from san.synth.photo.paper import PaperPage, Ruling, photograph
from tools.handwriting import UNITS, write_formula

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLES = REPOSITORY / "samples"
FIGURE = REPOSITORY / "docs" / "figures" / "explain.png"
"""How the first of the photographs is read."""

FORMULAS: dict[str, str] = {
    "quadratic": r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}",
    "pythagoras": r"a^2+b^2=c^2",
    "euler": r"e^{i\pi}+1=0",
    "einstein": r"E=mc^2",
    "gauss-sum": r"\sum_{k=1}^{n}k=\frac{n(n+1)}{2}",
    "geometric-series": r"\sum_{n=0}^{\infty}x^n=\frac{1}{1-x}",
    "basel": r"\sum_{n=1}^{\infty}\frac{1}{n^2}=\frac{\pi^2}{6}",
    "integral": r"\int_0^1x^2dx=\frac{1}{3}",
    "derivative": r"f^{\prime}(x)=\lim_{h\rightarrow0}\frac{f(x+h)-f(x)}{h}",
    "euler-number": r"e=\lim_{n\rightarrow\infty}(1+\frac{1}{n})^n",
    "continued-fraction": r"1+\frac{1}{2+\frac{1}{2+x}}",
    "nested-roots": r"\sqrt{1+\sqrt{2+\sqrt{3}}}",
    "cube-root": r"\sqrt[3]{x^3}=x",
    "trigonometry": r"\sin^2\theta+\cos^2\theta=1",
    "logarithm": r"\log_28=3",
    "polynomial": r"y=3x^4-5x^2+7x-6",
    "binomial": r"(a+b)^2=a^2+2ab+b^2",
    "inequality": r"a^2+b^2\geq2ab",
    "system": r"x+y=5,x-y=1",
    "gravity": r"F=G\frac{m_1m_2}{r^2}",
}
"""By the names of their files."""

PHOTOGRAPHS: dict[str, PaperPage] = {
    "quadratic": PaperPage(
        zoom=1.3,
        ruling=Ruling.SQUARED,
        spacing=42,
        ink=(28, 52, 140),
        tilt=-1.5,
        uneven=0.3,
        shadow=0.3,
    ),
    "basel": PaperPage(
        zoom=1.3, ruling=Ruling.RULED, spacing=62, tilt=1.2, perspective=0.02, uneven=0.35
    ),
    "pythagoras": PaperPage(
        zoom=1.3, paper=(226, 214, 188), texture=0.02, tilt=2, uneven=0.25, shadow=0.45
    ),
    "euler": PaperPage(
        zoom=1.3,
        paper=(38, 62, 52),
        ink=(232, 232, 222),
        texture=0.06,
        tilt=-0.8,
        uneven=0.3,
        blur=1.0,
    ),
}
"""Taken of these too: a squared book, a ruled one, an old envelope in the shade, a blackboard."""

HABITS = (
    {"slant": 0.12, "width": 1.0, "unsteady": 0.3},
    {"slant": 0.02, "width": 1.15, "unsteady": 0.36},
    {"slant": 0.24, "width": 0.95, "unsteady": 0.28},
    {"slant": 0.06, "width": 1.05, "unsteady": 0.42},
)
"""Four writers, who take turns."""

LETTER = 34.0
"""Pixels of a small letter's height in a picture."""
PEN, MARGIN, FINE = 4.2, 60, 4
"""Pixels: the pen's width, the margin; how many times finer a picture is drawn than kept."""

README = """# Samples

Formulas that people know, written by imagined writers of our own.
Every stroke is a shape of `san.ink.alphabet`, moved a little by a seed, and laid out by \
`tools/handwriting.py`.
Nothing here was taken from a corpus.
`python -m tools.make_samples` makes the folder anew.

Each is there as ink (`.inkml`, with its label and its symbols) and as a picture (`.png`); a few \
are photographs too (`photo-*.jpg`).

The weights that come with san read {right} of these {all} files right.
This is a demonstration, not a benchmark: formulas and shapes were chosen and adjusted while \
earlier weights read them.

| file | formula | ink | picture | photograph |
| --- | --- | --- | --- | --- |
{rows}
"""


def sample(name: str, again: int = 0) -> Sheet:
    """The ink of a sample; `again` writes it anew."""
    number = list(FORMULAS).index(name)
    hand = SimulatedWriter(1000 * again + number, **HABITS[number % len(HABITS)])
    return write_formula(FORMULAS[name], hand)


def on_paper(ink: Ink) -> NDArray[np.uint8]:
    """Black pen on white paper, with soft edges, as a tablet saves it."""
    scale = LETTER / (10 * UNITS)  # a small letter is ten units of the ruled paper high
    box = ink.box
    width = round(box.width * scale) + 2 * MARGIN
    height = round(box.height * scale) + 2 * MARGIN
    fine = np.full((height * FINE, width * FINE), 255, np.uint8)
    for stroke in ink.strokes:
        at = (stroke - (box.left, box.top)) * scale + MARGIN
        points = np.rint(at * FINE * 16).astype(np.int32)
        points = np.concatenate([points, points[-1:]])  # a dot is a line from a point to itself
        cv2.polylines(fine, [points], False, (24,), round(PEN * FINE), cv2.LINE_AA, shift=4)
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def photographed(name: str) -> NDArray[np.uint8]:
    """A sample as a photograph."""
    seed = list(FORMULAS).index(name)
    return photograph(255 - on_paper(sample(name).ink), PHOTOGRAPHS[name], seed)


def files(name: str) -> Iterator[Path]:
    """Of a sample: its ink, its picture, and its photograph where there is one."""
    yield SAMPLES / f"{name}.inkml"
    yield SAMPLES / f"{name}.png"
    if name in PHOTOGRAPHS:
        yield SAMPLES / f"photo-{name}.jpg"


def read_right(recognizer: Recognizer, name: str) -> list[bool]:
    """Whether each file of a sample is read right."""
    truth = parse(FORMULAS[name])
    return [recognizer.read(file).expression == truth for file in files(name)]


def main() -> None:
    SAMPLES.mkdir(exist_ok=True)
    recognizer = Recognizer()
    rows: list[str] = []
    verdicts: list[bool] = []
    for name, latex in FORMULAS.items():
        sheet = sample(name)
        (SAMPLES / f"{name}.inkml").write_bytes(write_inkml(sheet))
        Image.fromarray(on_paper(sheet.ink)).save(SAMPLES / f"{name}.png", optimize=True)
        if name in PHOTOGRAPHS:
            Image.fromarray(photographed(name)).save(SAMPLES / f"photo-{name}.jpg", quality=85)
        right = read_right(recognizer, name)
        verdicts += right
        words = ["right" if one else "wrong" for one in right]
        words += [""] * (3 - len(words))
        shown = latex.replace("|", "\\|")
        rows.append(f"| {name} | `{shown}` | {' | '.join(words)} |".replace("|  |", "| |"))
    text = README.format(right=sum(verdicts), all=len(verdicts), rows="\n".join(rows))
    (SAMPLES / "README.md").write_text(text, "utf-8")
    first = next(iter(PHOTOGRAPHS))
    read = recognizer.read(SAMPLES / f"photo-{first}.jpg")
    explained = explain(read.prepared.picture, read.reading, f"photo-{first}.jpg", read.confidence)
    explained.save(FIGURE, optimize=True)
    print(f"{SAMPLES}: {len(verdicts)} files, {sum(verdicts)} of them are read right")


if __name__ == "__main__":
    main()
