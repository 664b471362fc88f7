"""InkML: a file's bytes -> Sheet, and back; and all InkML files of a folder or a zip.

Design choices
- Files come from strangers. defusedxml refuses every DTD, so no entity is ever expanded or fetched,
  and `InkLimits` are checked before the work that they bound.
- A file is read whole or refused with one line; nothing is repaired by guessing. The exception is
  the segmentation, which is a comment on the ink and not the ink: a group that names a stroke which
  is not there is left out.
- Names are matched without their namespace, because collectors disagree on it.
- One bad file among thousands must neither stop a run nor vanish from it: it is skipped and named.
"""

import codecs
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from san.errors import brief
from san.files import FileError, Files, read_file
from san.ink.inkml_formats import XML_ID, Parts, formats_of, id_of, tag_of
from san.ink.inkml_points import strokes_of
from san.ink.strokes import Glyph, Ink, InkError, Sheet

SUFFIX = ".inkml"
INKML = "http://www.w3.org/2003/InkML"
MATHML = "http://www.w3.org/1998/Math/MathML"
UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
XML_BLANKS = " \t\r\n"


@dataclass(frozen=True)
class InkLimits:
    """How much one file may hold. CROHME's largest have 61 KB, 115 strokes, 6,581 points."""

    bytes: int = 2_000_000
    strokes: int = 2_000
    points: int = 50_000


DEFAULT_LIMITS = InkLimits()


def is_ink(name: str) -> bool:
    """Whether a file is meant as ink, by its name."""
    return name.strip().lower().endswith(SUFFIX)


def looks_like_inkml(content: bytes) -> bool:
    """Whether content without a name is taken for InkML: XML begins with `<`, and no image does."""
    if encoding := UTF_16.get(content[:2]):
        text = content[2:].decode(encoding, "replace")
        return text.lstrip(XML_BLANKS).startswith("<")
    return content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<")


def read_inkml(
    source: bytes | str | Path, limits: InkLimits = DEFAULT_LIMITS, name: str = ""
) -> Sheet:
    """Read one InkML file, given as its path or as its bytes; `name` is for the bytes' errors."""
    if not isinstance(source, bytes):
        name = name or Path(source).name
        try:
            source = read_file(Path(source), limits.bytes)
        except FileError as error:
            raise InkError(str(error)) from error
    try:
        return _sheet(source, limits, Path(name).stem)
    except InkError as error:
        raise InkError(f"{name}: {error}" if name else str(error)) from error


def _sheet(content: bytes, limits: InkLimits, name: str) -> Sheet:
    if len(content) > limits.bytes:
        raise InkError(f"larger than {limits.bytes:,} bytes")
    if not content.strip():
        raise InkError("the file is empty")
    root = _root(content)
    if tag_of(root) != "ink":
        raise InkError(f"not InkML: the outermost element is <{brief(tag_of(root))}>")
    parts: Parts = defaultdict(list)
    for element in root.iter():
        parts[tag_of(element)].append(element)
    indices, ink = _ink(root, parts, limits)
    notes = {child.get("type"): _text(child) for child in root if tag_of(child) == "annotation"}
    truth = notes.get("truth")
    return Sheet(
        ink=ink,
        glyphs=tuple(_glyphs(parts, indices, ink)),
        truth=_without_dollars(truth) if truth else None,
        mathml=_mathml(parts),
        name=name,
        ui=notes.get("UI"),
        writer=notes.get("writer"),
    )


def _root(content: bytes) -> ET.Element:
    # Imported here: a machine that only trains draws ink but opens no stranger's files.
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        return fromstring(content, forbid_dtd=True)
    except DefusedXmlException as error:
        raise InkError("a document type or an entity is declared: refused") from error
    except ET.ParseError as error:
        if not looks_like_inkml(content):
            raise InkError("not InkML: it does not begin as XML does") from error
        raise InkError(f"not well-formed XML: {error}") from error
    except (LookupError, ValueError) as error:  # an encoding that expat does not know
        raise InkError(f"not readable XML: {brief(str(error))}") from error


def _text(element: ET.Element) -> str:
    return (element.text or "").strip()


def _without_dollars(latex: str) -> str:
    """`$x$` and `$$x$$` are what is in use: one by one, a million of them would take minutes."""
    for _ in range(2):
        if len(latex) > 1 and latex[0] == latex[-1] == "$":
            latex = latex[1:-1].strip()
    return latex


def _ink(root: ET.Element, parts: Parts, limits: InkLimits) -> tuple[dict[str, int], Ink]:
    """The strokes, and which stroke each trace id names."""
    indices: dict[str, int] = {}
    texts: list[str] = []
    traces: list[ET.Element] = []
    for trace in parts["trace"]:
        text = _text(trace).rstrip(", \r\n\t")
        # Pen-up traces follow a pen above the paper; a trace without points left nothing on it.
        if trace.get("type") == "penUp" or not text:
            continue
        key = id_of(trace) or f"(trace {len(texts) + 1})"
        if key in indices:
            raise InkError(f"two traces have the id {brief(key)!r}")
        indices[key] = len(texts)
        texts.append(text)
        traces.append(trace)
        if len(texts) > limits.strokes:
            raise InkError(f"more than {limits.strokes:,} strokes")
    if not texts:
        raise InkError("no trace has any points")
    return indices, Ink(strokes_of(texts, formats_of(root, parts, traces), limits.points))


def _glyphs(parts: Parts, indices: dict[str, int], ink: Ink) -> Iterator[Glyph]:
    """A symbol is a group with a label whose own children are views of strokes."""
    for group in parts["traceGroup"]:
        views = [v.get("traceDataRef", "") for v in group if tag_of(v) == "traceView"]
        label = next((_text(a) for a in group if tag_of(a) == "annotation"), "")
        strokes = [indices.get(view.removeprefix("#")) for view in views]
        if label and strokes and None not in strokes:
            yield ink.glyph(label, (index for index in strokes if index is not None))


def _mathml(parts: Parts) -> str | None:
    math = next((m for note in parts["annotationXML"] for m in note if tag_of(m) == "math"), None)
    if math is None:
        return None
    for element in math.iter():  # ElementTree would invent a prefix for the namespace
        element.tag = tag_of(element)
    math.set("xmlns", MATHML)
    math.tail = None
    try:
        return ET.tostring(math, encoding="unicode")
    except RecursionError as error:
        raise InkError("the MathML is nested too deeply") from error


def write_inkml(sheet: Sheet) -> bytes:
    """The sheet as InkML, truth and segmentation included; read back, its strokes are the same."""
    root = ET.Element("ink", xmlns=INKML)
    for kind, text in (("UI", sheet.ui), ("writer", sheet.writer), ("truth", sheet.truth)):
        if text:
            ET.SubElement(root, "annotation", type=kind).text = text
    for index, stroke in enumerate(sheet.ink.strokes):
        ET.SubElement(root, "trace", id=str(index)).text = ", ".join(
            f"{_number(x)} {_number(y)}" for x, y in stroke
        )
    if sheet.glyphs:
        parent = ET.SubElement(root, "traceGroup", {XML_ID: "symbols"})
        ET.SubElement(parent, "annotation", type="truth").text = "Segmentation"
        for glyph in sheet.glyphs:
            group = ET.SubElement(parent, "traceGroup")
            ET.SubElement(group, "annotation", type="truth").text = glyph.label
            for index in glyph.strokes:
                ET.SubElement(group, "traceView", traceDataRef=str(index))
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode").encode()


def _number(value: np.float32) -> str:
    return np.format_float_positional(value, trim="-")  # the shortest text that reads back equal


OnSkip = Callable[[str, str], None]
"""Called with the name of a file that cannot be read, and the reason."""


def read_many(
    source: str | Path, on_skip: OnSkip | None = None, limits: InkLimits = DEFAULT_LIMITS
) -> Iterator[Sheet]:
    """Read every `.inkml` file of a folder (and its folders) or of a zip.

    Without `on_skip` the first file that cannot be read raises its InkError.
    """
    try:
        files = Files(source)
    except FileError as error:
        raise InkError(str(error)) from error
    for name in sorted(filter(is_ink, (*files.names, *files.strange))):
        try:
            yield _read(files, name, limits)
        except InkError as error:
            if on_skip is None:
                raise
            on_skip(name, str(error).removeprefix(f"{name}: "))


def _read(files: Files, name: str, limits: InkLimits) -> Sheet:
    try:
        if name in files.strange:
            raise FileError(files.strange[name])
        content = files.read(name, limits.bytes)
    except FileError as error:
        raise InkError(f"{name}: {error}") from error
    return read_inkml(content, limits, name)
