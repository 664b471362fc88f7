"""Every text of the page, of the document and of its scripts, as translations must have them."""

import re
from html.parser import HTMLParser
from pathlib import Path

from san.serve.app import PAGE

SCRIPTS = PAGE / "js"
_CALL = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')
_VALUE = re.compile(r': \[?"((?:[^"\\]|\\.)*)"')
TABLES = {  # tables of texts, by the files that they stand in
    "correct.js": ("MANY", "GONE", "MOVES"),
    "editor.js": ("GONE",),
    "result.js": ("WORDS",),
    "speech.js": ("NAMES",),
    "takeaway.js": ("COPIES",),
    "treedrag.js": ("PLACES",),
}
RELATIONS = {"above", "below", "sub", "sup", "upper-left", "inside", "right"}
"""Shown in the tree, by the names that the server has for them."""
_SPOKEN = {"aria-label", "title", "placeholder"}
_SAME = re.compile(r"^[\W\d_]*$|^(\.\w+|Ctrl|Cmd|Esc|Alt|Enter|Shift|Delete|F2|[A-Z]|san.*)$")
"""Texts that are the same in every language."""
_CODES = {"code", "kbd", "script", "style", "symbol", "title"}


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "input", "img", "use", "path", "circle"):
            self._open.append(tag)
        for name, value in attributes:
            if name in _SPOKEN and value:
                self.texts.add(value)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not _CODES & set(self._open):
            self.texts.add(data.strip())


def document_texts() -> set[str]:
    parser = _Texts()
    parser.feed((PAGE / "index.html").read_text("utf-8"))
    return {text for text in parser.texts if not _SAME.match(text)}


def script_texts() -> set[str]:
    texts = set(RELATIONS)
    for file in SCRIPTS.glob("*.js"):
        if not file.name.startswith("texts."):
            texts |= {_unescaped(text) for text in _CALL.findall(file.read_text("utf-8"))}
    for name, tables in TABLES.items():
        texts |= {text for table in tables for text in _table(SCRIPTS / name, table)}
    return {text for text in texts if text not in ("LaTeX", "MathML", "Typst")}


def _table(file: Path, name: str) -> list[str]:
    source = file.read_text("utf-8")
    begin = source.index(f"const {name} = ") + len(f"const {name} = ")
    if source[begin] == '"':
        return [_unescaped(source[begin + 1 : source.index('";', begin)])]
    body = source[begin : source.index("};", begin)]
    return [_unescaped(text) for text in _VALUE.findall(body)]


def translations(language: str) -> dict[str, str]:
    """A file of translations, by the English."""
    source = (SCRIPTS / f"texts.{language}.js").read_text("utf-8")
    entries = re.findall(r'^  "((?:[^"\\]|\\.)*)":\s*"((?:[^"\\]|\\.)*)",$', source, re.MULTILINE)
    return {_unescaped(english): _unescaped(text) for english, text in entries}


def _unescaped(text: str) -> str:
    return text.replace(r"\"", '"').replace("\\\\", "\\")
