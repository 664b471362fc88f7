"""Several lines laid out: rows below, columns beside one another, fences around them."""

from dataclasses import replace

import numpy as np
import pytest

from san.grammar import Expression, parse
from san.grammar.grids import INKLESS
from san.grammar.productions import MARKS, unfold
from san.ink import Box
from san.synth.composer import Composer
from san.synth.layout.config import GridConfig, LayoutConfig
from san.synth.layout.grid import MIRRORED
from san.synth.layout.grid_boxes import with_grid_boxes
from san.synth.layout.measure import outline
from san.synth.layout.place import Layout
from san.synth.layout.writer import ExpressionWriter
from san.synth.random_stream import RandomStream
from san.synth.variation.page import write_glyphs

SYSTEM = r"\begin{cases}x+y=1\\2x-y=5\\z=3\end{cases}"
MATRIX = r"\begin{pmatrix}1&2\\3&4\\5&6\end{pmatrix}^{T}"


def laid_out(
    composer: Composer, tree: Expression, seed: int, config: LayoutConfig | None = None
) -> dict[str, list[Box]]:
    """The boxes of all written symbols, by name."""
    random = RandomStream(np.random.default_rng(seed))
    writer = ExpressionWriter(
        composer.bank, composer.style, 0, random, config or composer.config.layout
    )
    glyphs = Layout(writer).expression(tree)
    names = [name for name in outline(tree).names if name not in INKLESS]
    for own, name in zip(glyphs, names, strict=True):
        assert composer.bank.names[own.glyph] in (name, MIRRORED.get(name) if own.sx < 0 else name)
    page = write_glyphs(composer.bank, glyphs)
    low = np.minimum.reduceat(page.points, page.starts)
    high = np.maximum.reduceat(page.points, page.starts)
    found: dict[str, list[Box]] = {}
    for name, row in zip(names, np.concatenate((low, high), axis=1).tolist(), strict=True):
        found.setdefault(name, []).append(Box(*row))
    return found


def middle(box: Box) -> float:
    return (box.top + box.bottom) / 2


def test_lines_stand_below_one_another_behind_their_brace(composer: Composer) -> None:
    for seed in range(8):
        found = laid_out(composer, parse(SYSTEM), seed)
        (brace,), first, second, (last,) = (found[name] for name in (r"\{", "+", "-", "z"))
        assert middle(first[0]) < middle(second[0]) < middle(last)
        assert brace.top < middle(second[0]) < brace.bottom
        assert brace.height > 0.5 * (last.bottom - found["x"][0].top)
        assert brace.right < min(box.right for box in found["x"])


def test_cells_stand_in_columns_between_their_brackets(composer: Composer) -> None:
    for seed in range(8):
        found = laid_out(composer, parse(MATRIX), seed)
        one, two, three, four, five, six = (found[digit][0] for digit in "123456")
        for left, right in ((one, two), (three, four), (five, six)):
            assert left.right < right.left
        for upper, lower in ((one, three), (three, five), (two, four), (four, six)):
            assert middle(upper) < middle(lower)
        opening, closing = found["("][0], found[")"][0]
        assert opening.right <= one.left + 10
        assert closing.left >= two.right - 10
        assert opening.height > five.bottom - one.top - 20
        assert found["T"][0].top < middle(two)


def test_lines_are_aligned_as_the_shares_say(composer: Composer) -> None:
    still = GridConfig(line_shift=0.0, indentation=0.0, line_size_change=0.0)
    tree = parse(r"\begin{matrix}x+y=1\\z=3\end{matrix}")

    def spread(name: str, grid: GridConfig) -> float:
        found = laid_out(composer, tree, 3, LayoutConfig(grid=grid))
        return abs(found[name][0].left - found[name][-1].left)

    at_signs = replace(still, left_share=0.0, relation_share=1.0, centre_share=0.0)
    assert spread("=", at_signs) < 2
    left = replace(still, left_share=1.0, relation_share=0.0, centre_share=0.0)
    found = laid_out(composer, tree, 3, LayoutConfig(grid=left))
    assert abs(found["x"][0].left - found["z"][0].left) < 2
    assert spread("=", left) > 5


@pytest.mark.parametrize("latex", [SYSTEM, MATRIX])
def test_what_has_no_ink_has_a_place_to_look_at(composer: Composer, latex: str) -> None:
    tree = parse(latex)
    for seed in range(6):
        sample = composer.compose(tree, np.random.default_rng(seed))
        steps = unfold(tree)
        bare = [n for n, step in enumerate(steps) if step.target in INKLESS]
        assert np.isnan(sample.boxes[bare]).all()
        filled = with_grid_boxes(sample, GridConfig())
        writing = [n for n, step in enumerate(steps) if step.target not in MARKS]
        assert np.isfinite(filled.boxes[writing]).all()
        ink = [n for n in writing if n not in bare]
        assert (filled.boxes[ink] == sample.boxes[ink]).all()
        grid = next(filled.boxes[n] for n in bare if steps[n].target == r"\matrix")
        inner = [n for n in ink if steps[n].target in "xyz123456"]
        assert (filled.boxes[inner][:, :2] >= grid[:2]).all()
        assert (filled.boxes[inner][:, 2:] <= grid[2:]).all()
        for number in bare:
            box, after = filled.boxes[number], filled.boxes[writing[writing.index(number) + 1]]
            assert (box[2:] > box[:2]).all()
            if steps[number].target != r"\matrix":
                assert box[0] < after[0]  # beside what is written next
                assert box[2] < after[2]
                assert box[1] <= after[3]
                assert box[3] >= after[1]


def test_unknown_boxes_stay_unknown(composer: Composer) -> None:
    sample = composer.compose(parse(SYSTEM), np.random.default_rng(0))
    blind = sample._replace(boxes=np.full_like(sample.boxes, np.nan))
    assert np.isnan(with_grid_boxes(blind, GridConfig()).boxes).all()
    single = composer.compose(parse("x+1"), np.random.default_rng(0))
    assert with_grid_boxes(single, GridConfig()) is single


def test_large_grids_and_odd_ones_are_laid_out(composer: Composer) -> None:
    rows = r"\\".join("&".join("12345") for _ in range(5))
    for latex in (
        rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}",
        r"\begin{gathered}x\\y\\z\\1\\2\\3\end{gathered}",
        r"\begin{matrix}1&\\&2\end{matrix}",
        r"\begin{cases}\\x=1\end{cases}",
        r"\begin{gathered}x=3\\\begin{cases}x=3\\y=2\end{cases}\end{gathered}",
        r"|\begin{matrix}1\\2\end{matrix}|\begin{matrix}3\\4\end{matrix}|",
        r"(\begin{matrix}1\\2\end{matrix}+\begin{matrix}3\\4\end{matrix})",
    ):
        sample = composer.compose(parse(latex), np.random.default_rng(1))
        assert sample.picture.any()
        with_grid_boxes(sample, GridConfig())
