"""The mix: deterministic, sound, and never a label of the tests."""

import subprocess
import sys
from itertools import groupby

import numpy as np
import pytest

from san.config import build
from san.errors import SanError
from san.grammar import Expression, parse, to_latex
from san.grammar.productions import MARKS, unfold
from san.synth.composer import Composer
from san.synth.config import ComposerConfig, CompositionConfig
from san.synth.formulas.text import fingerprint
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.samples import SynthSample
from tests.synth.conftest import FORMULAS, composing

SHARES = ("real", "varied", "joined", "formula", "grafted", "invented")


def only(share: str, **more: float) -> ComposerConfig:
    return composing(**{name: float(name == share) for name in SHARES}, **more)


def sound(made: SynthSample) -> None:
    steps = unfold(made.tree)
    assert made.boxes.shape == (len(steps), 4)
    assert made.boxes.dtype == np.float32
    writes = np.array([step.target not in MARKS for step in steps])
    assert (~np.isnan(made.boxes).any(axis=1) == writes).all()
    left, top, right, bottom = made.boxes[writes].T
    assert (left < right).all()
    assert (top < bottom).all()
    assert min(left.min(), top.min()) >= 12
    height, width = made.picture.shape
    assert right.max() <= width
    assert bottom.max() <= height
    assert set(np.unique(made.picture)) == {0, 255}
    for row in made.boxes[writes].astype(int):
        assert made.picture[row[1] : row[3], row[0] : row[2]].any()


@pytest.mark.parametrize("share", SHARES)
def test_every_share_gives_sound_expressions(composer: Composer, share: str) -> None:
    one = Composer(composer.bank, FORMULAS, only(share))
    for seed in range(30):
        sound(one.sample(np.random.default_rng(seed)))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_expression(composer: Composer) -> None:
    anew = Composer(Copybook(), FORMULAS)
    for seed in range(20):
        one, same = (own.sample(np.random.default_rng(seed)) for own in (composer, anew))
        assert one.tree == same.tree
        assert one.picture.tobytes() == same.picture.tobytes()
        assert one.boxes.tobytes() == same.boxes.tobytes()


def test_one_generator_never_gives_the_same_twice(composer: Composer) -> None:
    rng = np.random.default_rng(0)
    pictures = {composer.sample(rng).picture.tobytes() for _ in range(60)}
    assert len(pictures) == 60


def test_formulas_are_written_as_they_are(composer: Composer) -> None:
    plain = Composer(composer.bank, FORMULAS, only("formula", rename_chance=0.0))
    rng = np.random.default_rng(0)
    seen = {to_latex(plain.sample(rng).tree) for _ in range(60)}
    assert seen == set(FORMULAS)


@pytest.mark.parametrize("share", ["varied", "joined", "grafted", "invented", "formula"])
@pytest.mark.slow
def test_no_label_of_a_test_is_ever_composed(share: str) -> None:
    bank = build_bank(Copybook())
    free = Composer(bank, FORMULAS, only(share))
    written = {own.tree for own in bank.expressions} | set(map(parse, FORMULAS))

    def trees(composer: Composer) -> set[Expression]:
        rng = np.random.default_rng(0)
        return {composer.sample(rng).tree for _ in range(80)} - written

    new = trees(free)
    assert new
    Composer(bank, [f"#{fingerprint(tree)}" for tree in new])
    # Told once, every composer of the bank keeps to it.
    assert not new.intersection(trees(free))
    assert not new.intersection(trees(Composer(bank, FORMULAS, only(share))))


def test_a_label_of_a_test_that_stands_among_the_formulas_is_not_composed() -> None:
    asked = parse("x+y")
    marked = ["x+y", "a+b", f"#{fingerprint(asked)}"]
    composer = Composer(Copybook(), marked, only("formula", rename_share=0.0))
    rng = np.random.default_rng(0)
    made = {composer.sample(rng).tree for _ in range(20)}
    assert parse("a+b") in made
    assert asked not in made


def test_formulas_can_be_written_tighter(composer: Composer) -> None:
    def width(tight: float) -> float:
        one = Composer(
            composer.bank, ["x+y=2+a-b"], only("formula", rename_chance=0.0, tightening=tight)
        )
        rng = np.random.default_rng(0)
        shapes = [one.sample(rng).picture.shape for _ in range(40)]
        return float(np.median([wide / high for high, wide in shapes]))

    assert width(1.0) < 0.95 * width(0.0)


def test_long_ink_can_be_preferred(composer: Composer) -> None:
    def mean(power: float) -> float:
        one = Composer(composer.bank, (), only("real", ink_length_power=power))
        return float(np.mean([len(one.sample(np.random.default_rng(s)).tree) for s in range(80)]))

    assert mean(3.0) > mean(0.0) + 1


@pytest.mark.slow
def test_long_formulas_can_be_preferred(composer: Composer) -> None:
    formulas = ["x", "x+y", r"\frac{x}{y}=x^{2}+y^{2}-xy"]

    def often(power: float) -> list[int]:
        one = Composer(
            composer.bank, formulas, only("formula", rename_chance=0.0, formula_length_power=power)
        )
        rng = np.random.default_rng(0)
        found = [to_latex(one.sample(rng).tree) for _ in range(220)]
        return [found.count(formula) for formula in formulas]

    assert min(often(0.0)) > 50
    # 1, 3 and 12 symbols (the bar is one): by their squares 1 and 9 of 154.
    few, some, many = often(2.0)
    assert few < some < 30 < 180 < many


def test_writes_what_it_is_told_to(composer: Composer) -> None:
    made = composer.compose(parse(r"\frac{a}{b}"), np.random.default_rng(0))
    sound(made)
    assert to_latex(made.tree) == r"\frac{a}{b}"


@pytest.mark.parametrize(
    ("latex", "reason"),
    [
        (r"\aleph+x", r"nobody wrote \\aleph"),
        ("{}^{2}x", "nobody wrote a script on nothing"),
        ("", "1 to 150 symbols, not 0"),
        ("&", "this one has none"),
        ("x^{" * 200 + "x" + "}" * 200, "not 201"),
    ],
)
def test_what_cannot_be_written_is_one_line(composer: Composer, latex: str, reason: str) -> None:
    with pytest.raises(SanError, match=reason):
        composer.compose(parse(latex), np.random.default_rng(0))


def test_compositions_that_make_nothing_are_refused(composer: Composer) -> None:
    with pytest.raises(SanError, match="not all 0"):
        only("none of them")
    with pytest.raises(SanError, match="from 0 on"):
        CompositionConfig(real=-1.0)
    with pytest.raises(SanError, match="there are none"):
        Composer(composer.bank, (), only("formula"))


@pytest.mark.parametrize("key", ["tightening", "photo_glyphs_share", "rename_chance"])
def test_shares_and_chances_go_from_0_to_1(key: str) -> None:
    with pytest.raises(SanError, match=rf"{key}: 1\.5 is not between 0\.0 and 1\.0"):
        build(CompositionConfig, {key: 1.5})


@pytest.mark.slow
def test_a_machine_that_trains_needs_no_library_for_strangers_files() -> None:
    code = (
        "import sys\n"
        "for name in ('PIL', 'defusedxml', 'rapidfuzz', 'torch', 'typer', 'rich'):\n"
        "    sys.modules[name] = None\n"
        "import numpy as np\n"
        "from san.synth.composer import Composer\n"
        "from san.synth.glyphs.copybook import Copybook\n"
        "from san.data.pack import Pack\n"
        "print(Composer(Copybook()).sample(np.random.default_rng(0)).picture.shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("share", SHARES)
def test_of_composed_ink_each_stroke_s_symbol_is_known(composer: Composer, share: str) -> None:
    one = Composer(composer.bank, FORMULAS, only(share))
    for seed in range(20):
        ink, tree, symbols, owners = one.sample_ink(np.random.default_rng(seed))
        assert len(symbols) == len(owners) == len(ink.strokes)
        targets = [step.target for step in unfold(tree) if step.target not in MARKS]
        joined = "" in symbols
        in_walk_order = groupby(zip(owners, symbols, strict=True))
        names = [name for (_, name), _ in in_walk_order]
        assert joined or names == targets, (names, targets)
        again = one.sample(np.random.default_rng(seed))
        assert again.tree == tree
