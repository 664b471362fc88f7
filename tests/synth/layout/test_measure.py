"""Outlines of trees; sizes and axes are found again in chains that were made with known ones."""

import numpy as np

from san.grammar import Relation, parse
from san.synth.layout.measure import Chains, link_chains, measure, outline


def test_finds_em_axis_and_slope() -> None:
    rng = np.random.default_rng(0)
    usual_size = np.array([0.6, 1.0, 1.4])
    usual_height = np.array([0.0, -0.2, 0.3])
    count, length = 200, 8
    em = np.exp(rng.normal(3, 0.3, count))
    axis, slope = rng.normal(0, 50, count), rng.normal(0, 0.05, count)
    name = rng.integers(0, 3, (count, length))
    x = np.arange(length) * em[:, None] * 1.2
    middle = axis[:, None] + slope[:, None] * x + usual_height[name] * em[:, None]
    half = usual_size[name] * em[:, None] / np.sqrt(8)  # a square's half side, by its diagonal
    box = np.stack((x - half, middle - half, x + half, middle + half), axis=-1).reshape(-1, 4)
    found = measure(
        Chains(
            name.ravel(),
            np.repeat(np.arange(count), length),
            box,
            np.full(count, -1),
            np.zeros(count, int),
        )
    )
    # A common factor and a common height are nobody's business.
    factor = found.em / em
    assert np.allclose(factor, np.median(factor), rtol=0.05)
    height = (found.axis - (axis[:, None] + slope[:, None] * x).ravel()) / np.repeat(em, length)
    assert np.abs(height - np.median(height)).max() < 0.15
    assert not found.outlier.any()


def test_names_what_is_far_too_large() -> None:
    size = np.full(100, 10.0)
    size[7] = 80.0
    x = np.arange(100) * 20.0
    box = np.stack((x, -size / 2, x + size, size / 2), axis=1)
    ten = np.arange(100) // 10
    chains = Chains(np.zeros(100, int), ten, box, np.full(10, -1), np.zeros(10, int))
    assert np.flatnonzero(measure(chains).outlier).tolist() == [7]


def test_a_lone_script_is_measured_by_its_parent() -> None:
    """Chains of one symbol in two sizes, scripts of chains in which the sizes are plain to see."""
    count = 60
    box, name, chain, parent, relation = [], [], [], [], []
    for number in range(count):
        for place in range(4):
            box.append((place * 30, 0, place * 30 + 20, 20))
            name.append(0)
            chain.append(2 * number)
        side = 10 if number % 2 else 14
        box.append((120, -20, 120 + side, -20 + side))
        name.append(0)
        chain.append(2 * number + 1)
        parent += [-1, 2 * number]
        relation += [0, 3]
    found = measure(
        Chains(
            np.array(name), np.array(chain), np.array(box, float), np.array(parent),
            np.array(relation),
        )
    )  # fmt: skip
    ratio = found.em[1::2] / found.em[::2]
    assert 0.55 < ratio.min() < ratio.max() < 0.75
    assert ratio.max() / ratio.min() < 1.2  # their sides differ by 1.4


def test_chains_hang_on_the_chains_of_their_symbols() -> None:
    # In the order of the walk: \frac, x, 2, +, y, z, 3; and of another tree: x, y.
    found = link_chains(outline(parse(latex)) for latex in (r"\frac{x^{2}}{y}+z^{3}", "xy"))
    chain = found.chain.tolist()
    names = outline(parse(r"\frac{x^{2}}{y}+z^{3}")).names
    of = dict(zip(names, chain, strict=False))
    assert of[r"\frac"] == of["+"] == of["z"]
    assert chain[-2] == chain[-1]
    assert len({*chain}) == len(found.parent) == len(found.relation) == 6
    assert found.parent[of["2"]] == of["x"]
    assert found.parent[of["3"]] == of["z"]
    assert found.parent[chain[0]] == found.parent[chain[-1]] == -1
    # Both exponents are alike, and what stands on a bar is something else.
    assert found.relation[of["2"]] == found.relation[of["3"]]
    assert len({found.relation[of[name]] for name in ("x", "y", "2")}) == 3
    assert found.name[names.index("x")] == found.name[-2]


def test_ranges_chains_and_branches() -> None:
    flat = outline(parse(r"a+\frac{x^{2}}{yz}-b"))
    assert flat.names == ["a", "+", r"\frac", "x", "2", "y", "z", "-", "b"]
    assert flat.sizes == [1, 1, 5, 2, 1, 1, 1, 1, 1]
    assert flat.chain(0) == [0, 1, 2, 7, 8]
    assert flat.chain(5) == [5, 6]
    assert flat.parts[2] == {Relation.ABOVE: 3, Relation.BELOW: 5}
    assert flat.parts[3] == {Relation.SUP: 4}
    assert flat.parents[7] == 2
    assert len(flat) == 9


def test_nothing_is_nothing() -> None:
    assert len(outline(parse(""))) == 0
