"""What LaTeX needs to know of the few symbols that amsmath and amssymb do not define.

A definition takes nothing but these two packages, stands anywhere before the formula, and gives way
to one that is there. Characters without a command are defined as inputenc looks them up; XeLaTeX
and LuaLaTeX, whose fonts would leave them out in silence, take them for active ones.
"""

import re

_ARROWS = {
    r"\xlongequal": r"\Relbar\Relbar\Relbar",
    r"\xleftrightarrow": r"\leftarrow\relbar\rightarrow",
    r"\xRightarrow": r"\Relbar\Relbar\Rightarrow",
    r"\xLeftarrow": r"\Leftarrow\Relbar\Relbar",
    r"\xLeftrightarrow": r"\Leftarrow\Relbar\Rightarrow",
    r"\xmapsto": r"{\mapstochar\relbar}\relbar\rightarrow",
    r"\xhookrightarrow": r"{\lhook\joinrel\relbar}\relbar\rightarrow",
}
_CHARACTERS = {"、": r"\ensuremath{{{}_{\backprime}}}", "。": r"\ensuremath{{{}_{\circ}}}"}

DEFINITIONS: dict[str, str] = {
    **{
        name: rf"\makeatletter\providecommand{{{name}}}[2][]"
        rf"{{\ext@arrow 0099{{\arrowfill@{parts}}}{{#1}}{{#2}}}}\makeatother"
        for name, parts in _ARROWS.items()
    },
    r"\xrightleftharpoons": r"\providecommand{\xrightleftharpoons}[2][]"
    r"{\mathrel{\mathop{\rightleftharpoons}\limits^{#2}_{#1}}}",
    r"\wideparen": r"\providecommand{\wideparen}[1]{\overset{\frown}{#1}}",
    r"\argmax": r"\providecommand{\argmax}{\operatorname*{argmax}}",
    r"\argmin": r"\providecommand{\argmin}{\operatorname*{argmin}}",
    r"\oiint": r"\providecommand{\oiint}{\oint\mkern-12mu\oint}",
    r"\mathscr": r"\providecommand{\mathscr}{\mathcal}",
    r"\omicron": r"\providecommand{\omicron}{o}",
    "rcases": r"\ifdefined\rcases\else\newenvironment{rcases}"
    r"{\left.\begin{aligned}}{\end{aligned}\right\}}\fi",
    **{
        one: rf"\ifdefined\Umathcode\catcode`{one}=13 \def{one}{{{drawn}}}\else"
        rf"\expandafter\def\csname u8:\detokenize{{{one}}}\endcsname{{{drawn}}}\fi"
        for one, drawn in _CHARACTERS.items()
    },
}
_WORD = re.compile(r"\\?[A-Za-z]+|[^\x00-\x7f]")


def definitions_for(latex: str) -> list[str]:
    """What has to stand before a formula."""
    words = set(_WORD.findall(latex))
    return [definition for name, definition in DEFINITIONS.items() if name in words]
