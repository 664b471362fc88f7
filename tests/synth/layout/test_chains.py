"""Which symbols form a chain."""

from san.grammar import parse
from san.synth.layout.chains import linked
from san.synth.layout.outline import outline


def test_chains_hang_on_the_chains_of_their_symbols() -> None:
    # In the order of the walk: \frac, x, 2, +, y, z, 3; and of another tree: x, y.
    found = linked(outline(parse(latex)) for latex in (r"\frac{x^{2}}{y}+z^{3}", "xy"))
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
