"""LaTeX text -> tree.

One pass over the tokens with a stack of open things: a `_Group` gathers symbols until its closer
comes; a `_Pending` command waits for its arguments, each of which is a group or a single symbol, as
in TeX. There is no recursion, so depth costs memory only.

What LaTeX leaves to the writer's taste is dropped on the way: braces that only group, `\\limits`,
`\\left`, the order of scripts, `^2` or `^{2}`. Where LaTeX is stricter than people who label images
(a second superscript, as in `a^{2}^{3}`), the script stands on nothing, which draws alike.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from san.errors import brief
from san.grammar.constructs import CELL, CONSTRUCTS, MATRIX, ROW, construct_of, relations_of
from san.grammar.errors import GrammarError, quoted
from san.grammar.normal_form import chain, outside_grids
from san.grammar.symbols import (
    ALIASES,
    ENVIRONMENTS,
    LINE_ENVIRONMENTS,
    NEGATIONS,
    PLACED_ENVIRONMENTS,
    RAISED,
    SILENT,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    UNSEEN,
    is_plain,
)
from san.grammar.tokens import Token, tokenize
from san.grammar.tree import EMPTY, NOTHING, Expression, Relation, Symbol

MAX_CHARACTERS = 100_000
"""Characters of a formula at most: far beyond any that is written, and parsed in a blink."""

_PRIME = r"\prime"
_ROW_GAP = re.compile(r"\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in|mu)\s*\]")
_SCRIPTS = {"_": "subscript", "^": "superscript"}
_MARKS = {"_": Relation.SUB, "^": Relation.SUP}
_STACKS = {
    r"\overset": Relation.ABOVE,
    r"\stackrel": Relation.ABOVE,
    r"\underset": Relation.BELOW,
}
_PLACES = [["[", place, "]"] for place in "tcb"]  # where a grid stands on its line
_SHIFTS = frozenset((r"\(", r"\)", "$"))
_BRACKETS = ((r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))


def parse(text: str) -> Expression:
    """The syntax tree of a LaTeX formula; GrammarError, with the place, if it has none."""
    if len(text) > MAX_CHARACTERS:
        raise GrammarError(f"the formula is longer than {MAX_CHARACTERS:,} characters")
    return _Parser(text).parse()


@dataclass(slots=True)
class _Group:
    """Symbols gathered between an opener and its closer."""

    closer: str
    opened: Token
    symbols: list[Symbol] = field(default_factory=list)
    barrier: int = (
        -1
    )  # an empty group `{}` stands before this place: later scripts don't reach back
    option_of: "_Pending | None" = None

    @property
    def is_fresh(self) -> bool:
        """Nothing was written in it, not even `{}`."""
        return not self.symbols and self.barrier < 0


@dataclass(slots=True)
class _Pending:
    """A command that waits for arguments; a script is one with a single argument."""

    command: Token
    name: str
    count: int
    arguments: list[list[Symbol]] = field(default_factory=list)
    option: list[Symbol] | None = None


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _without_math_shift(tokenize(text))
        self.next = 0
        self.root = _Group("", Token("", 0))
        self.open: list[_Group | _Pending] = [self.root]
        self.primes = EMPTY  # of the symbol that got one last

    def parse(self) -> Expression:
        while self.next < len(self.tokens):
            token = self.tokens[self.next]
            self.next += 1
            self.take(token)
        top = self.open[-1]
        if isinstance(top, _Pending):
            raise self.error(f"{top.name} lacks {self.wanting(top)}", None)
        if top is not self.root:
            raise self.error(f"{quoted(top.opened.text)} is never closed", top.opened)
        return outside_grids(chain(_rows(self.root)))

    def take(self, token: Token) -> None:
        text = ALIASES.get(token.text, token.text)
        top = self.open[-1]
        closer = None if isinstance(top, _Pending) else top.closer
        if text == "{":
            self.open.append(_Group("}", token))
        elif text == closer:
            self.close()
        elif text in SILENT:
            if text == r"\operatorname":
                self.skip("*")
        elif text in CONSTRUCTS:
            self.command(token, text, len(construct_of(text).arguments))
        elif is_plain(text):
            self.deliver([_plain(text)])
            if text == ROW:
                self.skip_row_gap(token)
        elif text in _SCRIPTS:
            if closer is None:
                raise self.error(f"a {_SCRIPTS[text]} where an argument is missing", token)
            self.open.append(_Pending(token, _SCRIPTS[text], 1))
        else:
            self.special(token, text)

    def special(self, token: Token, text: str) -> None:
        """What is rare: small scripts, fences, grids, negations; then the ways to be wrong."""
        if text in RAISED:  # primes in a row are one script, primes and a degree are two
            alike = {other: name for other, name in RAISED.items() if name == RAISED[text]}
            self.small(Relation.SUP, alike)
        elif text in SUPERSCRIPTS:
            self.small(Relation.SUP, SUPERSCRIPTS)
        elif text in SUBSCRIPTS:
            self.small(Relation.SUB, SUBSCRIPTS)
        elif text in UNSEEN:
            self.skip("*")
            self.skip_group()
        elif text in _STACKS:
            self.command(token, text, 2)
        elif text in _SHIFTS and isinstance(top := self.open[-1], _Group) and top.closer == "}":
            pass  # as in \text{if $x>0$}
        elif text == r"\left":
            self.open.append(_Group(r"\right", token))
            self.deliver(self.delimiter(token))
        elif text.startswith(r"\begin{"):
            self.begin(token, text[7:-1])
        elif text == r"\not":
            self.deliver([Symbol(self.negation(token))])
        elif text in ("}", r"\right") or text.startswith(r"\end{"):
            raise self.error(self.unexpected_closer(token), token)
        elif text.startswith("\\") and len(text) > 1:
            takes_letter = text in (r"\mathbb", r"\mathcal", r"\mathfrak", r"\mathscr")
            reason = "{} takes one letter" if takes_letter else "unknown command {}"
            shown = brief(text) if text.isprintable() else quoted(text)
            raise self.error(reason.format(shown), token)
        else:
            raise self.error(f"{quoted(text)} is no symbol", token)

    def small(self, relation: Relation, names: Mapping[str, str]) -> None:
        """A script without its mark: primes, a degree, digits; however many stand in a row."""
        self.next -= 1
        symbols: list[Symbol] = []
        while (following := self.peek()) is not None and following.text in names:
            symbols.append(_plain(names[following.text]))
            self.next += 1
        top, outer = self.open[-1], self.open[-2] if len(self.open) > 1 else None
        waiting = outer if isinstance(top, _Group) and top.is_fresh else top
        if isinstance(waiting, _Pending) and _MARKS.get(waiting.command.text) is relation:
            self.deliver(symbols)  # it is a script already, as in x^{'}
        elif isinstance(top, _Pending):
            self.deliver([Symbol(NOTHING).grown(relation, chain(symbols))])
        else:
            self.attach(top, relation, symbols)

    def command(self, token: Token, name: str, count: int) -> None:
        """Opens a command: at once complete if it takes no arguments."""
        if not count:
            self.deliver([_plain(name)])
            return
        pending = _Pending(token, name, count)
        self.open.append(pending)
        following = self.peek()
        if following is not None and following.text == "[" and construct_of(name).option:
            self.next += 1
            self.open.append(_Group("]", following, option_of=pending))

    def close(self) -> None:
        group = self.open.pop()
        assert isinstance(group, _Group)
        if group.closer == r"\right":
            closing = self.delimiter(self.tokens[self.next - 1])
            self.deliver(_behind_brace(group.symbols + closing))
        elif group.closer.startswith(r"\end{"):
            self.deliver(_fenced_grid(group))
        elif group.option_of is not None:
            group.option_of.option = group.symbols
        else:
            self.deliver(group.symbols)

    def deliver(self, symbols: list[Symbol]) -> None:
        """Hands finished symbols to whoever waits: an open group, or a command for an argument."""
        top = self.open[-1]
        while isinstance(top, _Pending):
            top.arguments.append(symbols)
            if len(top.arguments) < top.count:
                return
            self.open.pop()
            outer = self.open[-1]
            if top.command.text in _SCRIPTS:
                assert isinstance(outer, _Group)
                self.attach(outer, _MARKS[top.command.text], symbols)
                return
            symbols = [self.stacked(top) if top.name in _STACKS else _assembled(top)]
            top = outer
        if not symbols:
            top.barrier = len(top.symbols)
        top.symbols += symbols

    def attach(self, group: _Group, script: Relation, symbols: list[Symbol]) -> None:
        """Puts a script on the last symbol of a group, or on nothing where that can't carry it."""
        content = outside_grids(chain(symbols))
        last = group.symbols[-1] if group.symbols else None
        if last is None or (last.branches and group.barrier == len(group.symbols)):
            group.symbols.append(Symbol(NOTHING).grown(script, content))
            return
        construct = construct_of(last.name)
        if last.name != NOTHING:
            relation = construct.sub if script is Relation.SUB else construct.sup
        else:
            relation = script
        present = last.branch(relation)
        if not present:
            group.symbols[-1] = last.grown(relation, content)
        elif script is Relation.SUP and self.are_primes(present):
            # As in TeX, primes are the beginning of the superscript that follows them.
            others = tuple(branch for branch in last.branches if branch[0] is not relation)
            if self.are_primes(content):
                primed = self.primes = Expression(present.symbols + content.symbols)
            else:
                primed = chain((*present.symbols, *content.symbols))
            group.symbols[-1] = Symbol(last.name, others).grown(relation, primed)
        else:
            group.symbols.append(Symbol(NOTHING).grown(script, content))

    def are_primes(self, expression: Expression) -> bool:
        """Those that were gathered last are known: each prime of a thousand would look at all."""
        return expression is self.primes or all(
            _is_bare(prime, _PRIME) for prime in expression.symbols
        )

    def stacked(self, pending: _Pending) -> Symbol:
        """`\\overset{label}{symbol}`: the label stands above the symbol itself."""
        label, base = pending.arguments
        relation = _STACKS[pending.name]
        if len(base) != 1 or relation not in relations_of(base[0].name):
            raise self.error(f"{pending.name} needs one plain symbol to stand on", pending.command)
        if base[0].has(relation):
            raise self.error(f"two things stand {relation.value} one symbol", pending.command)
        return base[0].grown(relation, outside_grids(chain(label)))

    def begin(self, token: Token, name: str) -> None:
        if name not in ENVIRONMENTS:
            raise self.error(f"unknown environment {quoted(name)}", token)
        self.open.append(_Group(rf"\end{{{name}}}", token))
        option = [token.text for token in self.tokens[self.next : self.next + 3]]
        if name in PLACED_ENVIRONMENTS and option in _PLACES:
            self.next += 3
        if name in ("array", "alignedat"):
            self.skip_group()

    def skip(self, text: str) -> None:
        following = self.peek()
        if following is not None and following.text == text:
            self.next += 1

    def skip_group(self) -> None:
        """Leaves out `{ccc}`, the columns of an array, or what is not drawn."""
        following = self.peek()
        if following is None or following.text != "{":
            return
        depth = 0
        while (token := self.peek()) is not None:
            self.next += 1
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                return
        raise self.error("'{' is never closed", following)

    def skip_row_gap(self, row: Token) -> None:
        """Leaves out the length in `\\\\[2pt]`."""
        gap = _ROW_GAP.match(self.text, row.position + len(row.text))
        while gap and (token := self.peek()) is not None and token.position < gap.end():
            self.next += 1

    def delimiter(self, after: Token) -> list[Symbol]:
        """The fence after `\\left` or `\\right`; a dot is none."""
        following = self.peek()
        if following is None:
            raise self.error(f"{after.text} lacks its delimiter", None)
        self.next += 1
        if following.text == ".":
            return []
        text = {"<": r"\langle", ">": r"\rangle"}.get(following.text, following.text)
        text = ALIASES.get(text, text)
        if not is_plain(text) or text in (CELL, ROW):
            raise self.error(f"{quoted(following.text)} is no delimiter", following)
        return [Symbol(text)]

    def negation(self, token: Token) -> str:
        following = self.peek()
        name = ALIASES.get(following.text, following.text) if following else ""
        if name not in NEGATIONS:
            raise self.error(r"\not stands before nothing that can be negated", token)
        self.next += 1
        return NEGATIONS[name]

    def peek(self) -> Token | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def wanting(self, pending: _Pending) -> str:
        return "its content" if pending.count == 1 else f"argument {len(pending.arguments) + 1}"

    def unexpected_closer(self, token: Token) -> str:
        top = self.open[-1]
        if isinstance(top, _Pending):
            return f"{top.name} lacks {self.wanting(top)}"
        if top is self.root:
            return f"{quoted(token.text)} closes nothing"
        wanted, opener = quoted(top.closer), quoted(top.opened.text)
        return f"{quoted(token.text)} where {wanted} should close {opener}"

    def error(self, reason: str, token: Token | None) -> GrammarError:
        return GrammarError(reason, len(self.text) if token is None else token.position, self.text)


@lru_cache(1024)
def _plain(name: str) -> Symbol:
    """A symbol with nothing on it; one object serves every formula."""
    return Symbol(name)


def _assembled(pending: _Pending) -> Symbol:
    construct = construct_of(pending.name)
    symbol = Symbol(pending.name)
    if construct.option is not None and pending.option is not None:
        symbol = symbol.grown(construct.option, outside_grids(chain(pending.option)))
    for relation, symbols in zip(construct.arguments, pending.arguments, strict=True):
        symbol = symbol.grown(relation, outside_grids(chain(symbols)))
    return symbol


def _is_bare(symbol: Symbol, name: str) -> bool:
    return symbol.name == name and not symbol.branches


def _fenced_grid(group: _Group) -> list[Symbol]:
    """The grid of an environment, between the fences that it draws."""
    symbols = _rows(group)
    name = group.closer[5:-1]
    if name in LINE_ENVIRONMENTS:
        symbols = _unaligned(symbols)
    grid = Symbol(MATRIX).grown(Relation.INSIDE, chain(symbols))
    before, after = ENVIRONMENTS[name]
    return [Symbol(name) if name != MATRIX else grid for name in (before, MATRIX, after) if name]


def _rows(group: _Group) -> list[Symbol]:
    """What was gathered; many end their last row as well, which draws nothing."""
    symbols = group.symbols
    ends = bool(symbols) and _is_bare(symbols[-1], ROW) and group.barrier < len(symbols)
    return symbols[:-1] if ends else symbols


def _unaligned(symbols: Iterable[Symbol]) -> list[Symbol]:
    return [symbol for symbol in symbols if not _is_bare(symbol, CELL)]


def _behind_brace(fenced: list[Symbol]) -> list[Symbol]:
    """`\\left\\{` and a grid draw what `cases` draws: lines, whose parts an `&` only aligns."""
    names = [symbol.name for symbol in fenced]
    if names not in ([r"\{", MATRIX], [MATRIX, r"\}"]):
        return fenced
    grid = names.index(MATRIX)
    lines = chain(_unaligned(fenced[grid].branch(Relation.INSIDE).symbols))
    others = tuple(branch for branch in fenced[grid].branches if branch[0] is not Relation.INSIDE)
    fenced[grid] = Symbol(MATRIX, others).grown(Relation.INSIDE, lines)
    return fenced


def _without_math_shift(tokens: list[Token]) -> list[Token]:
    """Formulas are often pasted with their `$`."""
    for before, after in _BRACKETS:
        while len(tokens) >= 2 and tokens[0].text == before and tokens[-1].text == after:
            tokens = tokens[1:-1]
    return tokens
