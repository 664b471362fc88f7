"""Which commands are symbols, which are other names of the same drawing, and which draw nothing.

A command that stands in none of these tables is refused: nobody knows how many arguments it takes.
Any printable character is a symbol by itself, of whatever script.
"""

import re
from functools import lru_cache

from san.grammar.characters import CHARACTERS
from san.grammar.constructs import CONSTRUCTS, LIMIT_OPERATORS

_GREEK = r"""
\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \vartheta \iota \kappa \varkappa
\lambda \mu \nu \xi \omicron \pi \varpi \rho \varrho \sigma \varsigma \tau \upsilon \phi \varphi
\chi \psi \omega \digamma \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega
"""
_FUNCTIONS = r"""
\sin \cos \tan \cot \sec \csc \arcsin \arccos \arctan \sinh \cosh \tanh \coth \log \ln \lg \exp
\arg \deg \det \dim \gcd \hom \ker \Pr \bmod
"""
_OPERATORS = r"""
\pm \mp \times \div \cdot \circ \bullet \star \oplus \ominus \otimes \oslash \odot \dagger \ddagger
\wedge \vee \cap \cup \uplus \sqcap \sqcup \setminus \wr \amalg \diamond \bigcirc \bigtriangleup
\bigtriangledown \int \iint \iiint \oint \oiint
"""
_RELATIONS = r"""
\leq \geq \leqslant \geqslant \neq \equiv \approx \cong \sim \simeq \doteq \propto \asymp \ll \gg
\lll \ggg \prec \succ \preceq \succeq \subset \supset \subseteq \supseteq \subsetneq \supsetneq
\subseteqq \nsubseteq \nsupseteq \sqsubset \sqsubseteq \in \ni \notin \vdash \dashv \models \Vdash
\vDash \perp \parallel \nparallel \smile \frown \bowtie \lesssim \gtrsim \triangleq \nmid \nleq
\ngeq \lessgtr \therefore \because
"""
_ARROWS = r"""
\rightarrow \leftarrow \leftrightarrow \Rightarrow \Leftarrow \Leftrightarrow \longrightarrow
\longleftarrow \longleftrightarrow \Longrightarrow \Longleftarrow \Longleftrightarrow \mapsto
\longmapsto \uparrow \downarrow \updownarrow \Uparrow \Downarrow \nearrow \searrow \swarrow \nwarrow
\rightharpoonup \rightharpoondown \leftharpoonup \leftharpoondown \rightleftharpoons
\leftrightharpoons \hookrightarrow \hookleftarrow \rightrightarrows \nrightarrow
\rightsquigarrow \twoheadrightarrow \circlearrowleft \circlearrowright
"""
_OTHERS = r"""
\infty \partial \nabla \forall \exists \nexists \emptyset \varnothing \aleph \beth \hbar \hslash
\imath \jmath \ell \wp \Re \Im \mho \angle \measuredangle \sphericalangle \triangle \square
\blacksquare \lozenge \Diamond \prime \backprime \neg \top \flat \natural \sharp \clubsuit
\diamondsuit \heartsuit \spadesuit \checkmark \surd \ldots \cdots \vdots \ddots \langle \rangle
\lfloor \rfloor \lceil \rceil \lgroup \rgroup \backslash \{ \} \| \% \# \$ \& \_ \AA
\copyright \S \P \complement \blacktriangle \triangledown \bigstar \\
"""

RELATION_COMMANDS: frozenset[str] = frozenset((_RELATIONS + _ARROWS).split())
"""Commands of relation signs, arrows among them."""

COMMANDS: frozenset[str] = (
    frozenset((_GREEK + _FUNCTIONS + _OPERATORS + _OTHERS).split())
    | RELATION_COMMANDS
    | LIMIT_OPERATORS
)

WORDS: frozenset[str] = frozenset(_FUNCTIONS.split()) | (LIMIT_OPERATORS - CHARACTERS.keys())
"""Commands that are written letter by letter, such as `\\sin` and `\\lim`."""

ALIASES: dict[str, str] = {
    r"\le": r"\leq",
    r"\ge": r"\geq",
    r"\ne": r"\neq",
    r"\lt": "<",
    r"\gt": ">",
    r"\to": r"\rightarrow",
    r"\gets": r"\leftarrow",
    r"\iff": r"\Longleftrightarrow",
    r"\implies": r"\Longrightarrow",
    r"\impliedby": r"\Longleftarrow",
    r"\land": r"\wedge",
    r"\lor": r"\vee",
    r"\lnot": r"\neg",
    r"\owns": r"\ni",
    r"\bot": r"\perp",
    r"\dots": r"\ldots",
    r"\dotsc": r"\ldots",
    r"\dotsb": r"\cdots",
    r"\ast": "*",
    r"\colon": ":",
    r"\mid": "|",
    r"\vert": "|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\Vert": r"\|",
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\slash": "/",
    r"\textbackslash": r"\backslash",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\dbinom": r"\binom",
    r"\tbinom": r"\binom",
    **{rf"\{letter}": rf"\mathbb{{{letter}}}" for letter in "CNQRZ"},
    r"\fbox": r"\boxed",
    r"\mod": r"\bmod",  # it would take what follows for its argument, also where nothing does
    r"\overparen": r"\wideparen",
    r"\overarc": r"\wideparen",
    r"\Box": r"\square",
    r"\leadsto": r"\rightsquigarrow",
    r"\cr": r"\\",
    r"\newline": r"\\",
    "%": r"\%",
    "#": r"\#",
    "−": "-",
    "–": "-",
    "·": r"\cdot",
    "△": r"\triangle",
}
# What stands raised behind a symbol without a `^`.
RAISED: dict[str, str] = {"'": r"\prime", "′": r"\prime", "°": r"\circ", r"\degree": r"\circ"}
# Scripts that Unicode has as characters of their own: `x²` is `x^{2}`.
SUPERSCRIPTS: dict[str, str] = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
SUBSCRIPTS: dict[str, str] = dict(
    zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-=()aehijklmnoprstuvx", strict=True)
)
_SMALL = RAISED.keys() | SUPERSCRIPTS.keys() | SUBSCRIPTS.keys()

# Characters of Unicode are other names of their commands; of two commands the first has the name.
for _name, _character in CHARACTERS.items():
    if _name in COMMANDS and not _character.isascii() and _character not in RAISED:
        ALIASES.setdefault(_character, _name)

NEGATIONS: dict[str, str] = {
    "=": r"\neq",
    r"\in": r"\notin",
    r"\exists": r"\nexists",
    "|": r"\nmid",
    r"\parallel": r"\nparallel",
    r"\subseteq": r"\nsubseteq",
    r"\supseteq": r"\nsupseteq",
    r"\rightarrow": r"\nrightarrow",
    r"\leq": r"\nleq",
    r"\geq": r"\ngeq",
}

# Spaces, sizes, styles, alphabets that a hand does not tell apart, and `\limits`: a wrapper such as
# `\mathrm{d}` then leaves a plain group.
SILENT: frozenset[str] = frozenset(
    r"""
    \limits \nolimits \displaystyle \textstyle \scriptstyle \scriptscriptstyle \, \; \: \! \> ~
    \quad \qquad \enspace \enskip \thinspace \medspace \thickspace \nobreakspace \hfill \hline
    \big \Big \bigg \Bigg \bigl \bigr \bigm \Bigl \Bigr \Bigm \biggl \biggr \biggm
    \Biggl \Biggr \Biggm \middle
    \mathrm \mathit \mathbf \mathsf \mathtt \mathnormal \boldsymbol \bm \text \textrm \textit
    \textbf \textsf \texttt \mbox \hbox \operatorname \mathop \mathbin \mathrel \mathord
    \mathopen \mathclose \mathpunct \mathstrut \strut \rm \it \bf \sf \tt \nonumber \notag
    """.split()
) | {"\\ ", "\\\n", "\\\t"}

# Their argument is a length or a name, or is kept from being drawn.
UNSEEN: frozenset[str] = frozenset(r"\hspace \vspace \phantom \hphantom \vphantom \label".split())

# Delimiters that an environment draws around its grid.
ENVIRONMENTS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        "matrix array smallmatrix aligned align align* split gathered gather gather* eqnarray"
        " eqnarray* alignedat".split(),
        ("", ""),
    ),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": (r"\{", r"\}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": (r"\|", r"\|"),
    "cases": (r"\{", ""),
    "dcases": (r"\{", ""),
    "rcases": ("", r"\}"),
}

# Environments of lines: an `&` in them aligns and draws nothing.
LINE_ENVIRONMENTS: frozenset[str] = frozenset(
    "aligned align align* split gathered gather gather* eqnarray eqnarray* alignedat cases dcases"
    " rcases".split()
)

# Environments that may be told where they stand on the line, as in `\begin{aligned}[t]`; in all
# others what follows in brackets is content.
PLACED_ENVIRONMENTS: frozenset[str] = frozenset("array aligned gathered alignedat".split())


_SPECIAL = frozenset("\\{}^_~$'")
_DRAWN_LETTER = re.compile(r"\\math(?:bb|cal|frak|scr)\{[A-Za-z]\}")


@lru_cache(4096)
def is_plain(name: str) -> bool:
    """Whether this is the canonical name of a symbol that takes no arguments."""
    if name in COMMANDS or _DRAWN_LETTER.fullmatch(name):
        return True
    printable = len(name) == 1 and name.isprintable() and not name.isspace()
    return printable and name not in _SPECIAL and name not in ALIASES and name not in _SMALL


def is_symbol(name: str) -> bool:
    """Whether this is the canonical name of a symbol with ink."""
    return name in CONSTRUCTS or is_plain(name)
