"""Which symbols of a clipping are exchanged, and for what.

Letters get other names throughout a clipping, digits and signs one by one; both of their kind, and
more often such as photographs have more often. Copies of a symbol are drawn anew together, and by
one hand: that it looks like itself elsewhere must stay true.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import isfinite

from san.grammar.tree import Expression, Symbol
from san.synth.glyphs.blend import Blend
from san.synth.layout.symbol_classes import SIMILAR_SHAPES, spacing_class
from san.synth.photo.collage_glyph import Hand, Scribe
from san.synth.photo.collage_source import Clipping
from san.synth.random_stream import RandomStream

EXCHANGED = 0.9
"""Of a sample's symbols at most."""
RENAMED = 0.6
"""How many samples get other names at all."""
RENAME = 0.5
"""And then how likely each does, of those that are exchanged."""
TABLET = 0.35
"""How many samples have new glyphs by a tablet's hand: there are many more of those."""
LEAN = 0.08
"""How far a sample's new glyphs lean from the way that they were written: tangent, deviation."""
KINDS = (tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), *(own for own in SIMILAR_SHAPES if "A" not in own))

Likes = dict[str, list[str]]


def likes(names: Iterable[str], knows: Callable[[str], bool]) -> Likes:
    """For each symbol those that may stand in for it, itself too: common ones several times.

    `names` are those of all photographs. A line of a school has many more `=` than `<`, and so has
    what is made of it.
    """
    often = Counter(names)
    found: Likes = {}
    for kind in KINDS:
        able = [name for name in kind if often[name] and knows(name)]
        some = [name for name in able for _ in range(round(often[name] ** 0.5))]
        found |= dict.fromkeys(able, some)
    return found


def exchange(
    page: Clipping,
    scribe: Scribe,
    others: Likes,
    random: RandomStream,
    blend: Callable[[RandomStream], Blend | None] = lambda _: None,
) -> None:
    """Draw some of the symbols anew, by other hands; some of these under other names.

    `blend`: says whether, and how, the glyphs of this sample are blended.
    """
    share = random.between(0, EXCHANGED)
    rename = RENAME if random.uniform() < RENAMED else 0.0
    tablet = random.uniform() < TABLET
    blended = blend(random)
    hand = Hand(random.bell(LEAN), blended)
    names = page.shape.names
    able = [
        isfinite(left) and scribe.knows(name)
        for name, left in zip(names, page.boxes[:, 0].tolist(), strict=True)
    ]
    # A letter that cannot be exchanged everywhere keeps its name.
    kept = {name for name, can in zip(names, able, strict=True) if not can}
    everywhere = {
        name: random.choice(others[name])
        for name in sorted({*names} - kept)
        if spacing_class(name) == "letter" and name in others and random.uniform() < share * rename
    }
    redrawn = {
        name: name in everywhere or random.uniform() < share for name in dict.fromkeys(names)
    }
    by: dict[str, list[int]] = {}  # whose glyphs
    new = list(names)
    for place, name in enumerate(names):
        if not able[place] or not redrawn[name]:
            continue
        wanted = everywhere.get(name, name)
        if spacing_class(name) != "letter" and name in others and random.uniform() < rename:
            wanted = random.choice(others[name])
        if wanted not in by:
            by[wanted] = scribe.bank.by_same_writer(wanted, scribe.pick(wanted, tablet, random))
        if scribe.exchange(page, place, wanted, random.choice(by[wanted]), random, hand):
            new[place] = wanted
    if new != names:
        page.tree = _named(page.tree, iter(new))
        page.shape = replace(page.shape, names=new)


def _named(tree: Expression, names: Iterator[str]) -> Expression:
    """The tree with other names, in the order of the walk."""
    symbols = []
    for symbol in tree.symbols:
        name = next(names)
        branches = tuple((relation, _named(own, names)) for relation, own in symbol.branches)
        symbols.append(Symbol(name, branches))
    return Expression(tuple(symbols))
