"""Lines of photographs below one another, behind a brace."""

import numpy as np
import pytest

from san.grammar import parse, to_latex
from san.grammar.constructs import MATRIX
from san.grammar.grids import INKLESS, rows_of
from san.grammar.productions import MARKS, unfold
from san.grammar.tree import Relation
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.config import GridConfig
from san.synth.layout.grid_boxes import with_grid_boxes
from san.synth.photo.collage import Collage
from san.synth.photo.config import StackedLinesConfig
from san.synth.photo.stacked_lines import StackedLines
from tests.synth.glyph_rows import GlyphRows
from tests.synth.photo.test_collage import ROWS
from tests.synth.photographs import photo_set

pytestmark = pytest.mark.slow  # its fixtures take seconds to make


@pytest.fixture(scope="module")
def collage() -> Collage:
    own = photo_set()
    return Collage(own, own, build_bank(Copybook(), photo_glyphs=GlyphRows(*ROWS)))


def test_rows_stand_below_one_another_with_their_boxes(collage: Collage) -> None:
    stacked = StackedLines(collage, config=StackedLinesConfig(without_relation=1.0))
    counts = set()
    for seed in range(25):
        sample = stacked.sample(np.random.default_rng(seed))
        if sample is None:
            continue
        assert parse(to_latex(sample.tree)) == sample.tree
        steps = unfold(sample.tree)
        grid = next(symbol for symbol in sample.tree.symbols if symbol.name == MATRIX)
        rows = rows_of(grid.branch(Relation.INSIDE))
        counts.add(len(rows))
        covered = np.zeros(sample.picture.shape, bool)
        for step, box in zip(steps, sample.boxes, strict=True):
            if step.target in MARKS or step.target in INKLESS:
                assert np.isnan(box).all()
                continue
            left, top, right, bottom = np.rint(box).astype(int)
            assert sample.picture[top:bottom, left:right].any()
            covered[top - 2 : bottom + 2, left - 2 : right + 2] = True
        assert not sample.picture[~covered].any()
        filled = with_grid_boxes(sample, GridConfig()).boxes
        parting = [filled[n] for n, step in enumerate(steps) if step.target == r"\\"]
        tops = [box[1] for box in parting]
        assert len(parting) == len(rows) - 1
        assert tops == sorted(tops)
    assert min(counts) == 2
    assert max(counts) >= 3


def test_same_seed_same_lines_and_a_brace_as_asked(collage: Collage) -> None:
    config = StackedLinesConfig(brace_share=1.0, without_relation=1.0)
    stacked = StackedLines(collage, config=config)
    one, other = (stacked.sample(np.random.default_rng(3)) for _ in range(2))
    assert one is not None
    assert other is not None
    assert np.array_equal(one.picture, other.picture)
    assert one.tree == other.tree
    assert one.tree.symbols[0].name == r"\{"
    bare = StackedLines(collage, config=StackedLinesConfig(brace_share=0.0, without_relation=1.0))
    sample = bare.sample(np.random.default_rng(3))
    assert sample is not None
    assert [symbol.name for symbol in sample.tree.symbols] == [MATRIX]
