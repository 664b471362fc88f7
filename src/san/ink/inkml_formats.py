"""InkML's trace formats: which value of a point is x and which is y, and the contexts that tell.

Design choices
- A trace follows the context that it or the group around it names, as the W3C's recommendation has
  it; else the context or format that stands before it in the file; else the file's first format.
  Only where a file has no format at all does x come first and y second.
- What is named but not there is an error: another format in its place would read times as places.
- Files come from strangers. Each element is looked at once, however often it is named, and groups
  are walked without recursion.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from san.errors import brief
from san.ink.strokes import InkError

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
DEFAULT_CONTEXT, DEFAULT_FORMAT = "DefaultContext", "DefaultTraceFormat"
"""Ids of what the recommendation defines for every file: x and y, in this order."""
MAX_INHERITANCE = 100
"""How many contexts may inherit from one another: it may be a circle."""

Parts = dict[str, list[ET.Element]]
"""The elements of a file by their name without namespace, each list in document order."""


@dataclass(frozen=True)
class TraceFormat:
    """What a point holds: regular values, which each point has, then some of the intermittent."""

    x: int = 0
    y: int = 1
    regular: int = 2
    intermittent: int = 0
    signs: tuple[int, int] = (1, 1)
    """-1 where x grows to the left, or y upwards."""


def tag_of(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def id_of(element: ET.Element) -> str | None:
    return element.get("id") or element.get(XML_ID)


def formats_of(
    root: ET.Element, parts: Parts, traces: list[ET.Element]
) -> dict[TraceFormat, list[int]]:
    """Which of the traces have which format, by their index."""
    referring = (*parts["trace"], *parts["traceGroup"])
    alike = len(parts["traceFormat"]) <= 1 and not parts["context"]
    if alike and not any(element.get("contextRef") for element in referring):  # most files
        first = next(map(_format, parts["traceFormat"]), TraceFormat())
        return {first: list(range(len(traces)))}
    contexts = _Contexts(parts)
    named = dict(_walk(root, contexts))
    groups: dict[TraceFormat, list[int]] = {}
    for index, trace in enumerate(traces):
        reference, current = named[trace]
        groups.setdefault(contexts.named(reference) or current, []).append(index)
    return groups


def _format(element: ET.Element) -> TraceFormat:
    regular: list[ET.Element] = []
    intermittent: list[ET.Element] = []
    for child in element:
        kind = intermittent if tag_of(child) == "intermittentChannels" else regular
        kind.extend(one for one in (child, *child) if tag_of(one) == "channel")
    channels = [*regular, *intermittent]
    names = [(channel.get("name") or "").upper() for channel in channels]
    if "X" not in names or "Y" not in names:
        return TraceFormat()
    x, y = names.index("X"), names.index("Y")
    signs = (_sign(channels[x]), _sign(channels[y]))
    return TraceFormat(x, y, len(regular), len(intermittent), signs)


def _sign(channel: ET.Element) -> int:
    return -1 if (channel.get("orientation") or "").strip() == "-ve" else 1


class _Contexts:
    """The contexts of a file and the formats that they lead to."""

    def __init__(self, parts: Parts) -> None:
        self._contexts = _by_id(parts["context"])
        self._sources = _by_id(parts["inkSource"])
        self._ids = _by_id(parts["traceFormat"])
        self._formats = {element: _format(element) for element in parts["traceFormat"]}
        self._own: dict[ET.Element, TraceFormat] = {}
        for holder in (*parts["inkSource"], *parts["context"]):  # contexts hold sources
            for child in holder:
                found = self._formats.get(child) or self._own.get(child)
                if found and tag_of(child) != "context":
                    self._own.setdefault(holder, found)
        self._known: dict[ET.Element, TraceFormat | None] = {}
        self.first = next(iter(self._formats.values()), TraceFormat())

    def named(self, reference: str | None, depth: int = 0) -> TraceFormat | None:
        """The format of the context of this name; None where there is no name, or no format."""
        if not reference:
            return None
        key = reference.removeprefix("#")
        if key == DEFAULT_CONTEXT and key not in self._contexts:
            return TraceFormat()
        return self.of(_found(self._contexts, reference, "context"), depth)

    def of(self, element: ET.Element, depth: int = 0) -> TraceFormat | None:
        """The format of a context, or of a format; None where it has none and inherits none."""
        if element in self._formats:
            return self._formats[element]
        if element not in self._known:
            if depth > MAX_INHERITANCE:
                raise InkError(f"contexts refer to contexts in a circle, or {depth} deep")
            self._known[element] = self._look(element, depth)
        return self._known[element]

    def _look(self, context: ET.Element, depth: int) -> TraceFormat | None:
        if reference := context.get("traceFormatRef"):
            key = reference.removeprefix("#")
            if key == DEFAULT_FORMAT and key not in self._ids:
                return TraceFormat()
            return self._formats[_found(self._ids, reference, "trace format")]
        if context in self._own:
            return self._own[context]
        if reference := context.get("inkSourceRef"):
            source = _found(self._sources, reference, "ink source")
            if source in self._own:
                return self._own[source]
        return self.named(context.get("contextRef"), depth + 1)


def _by_id(elements: Iterable[ET.Element]) -> dict[str, ET.Element]:
    named = ((id_of(element), element) for element in elements)
    return {key: element for key, element in named if key}


def _found(elements: dict[str, ET.Element], reference: str, kind: str) -> ET.Element:
    try:
        return elements[reference.removeprefix("#")]
    except KeyError:
        raise InkError(f"the {kind} {brief(reference)!r} is referred to, but not there") from None


def _walk(
    root: ET.Element, contexts: _Contexts
) -> Iterator[tuple[ET.Element, tuple[str | None, TraceFormat]]]:
    """Each trace with the name of its context, if it has one, and the format in force there."""
    current = contexts.first
    for part in root:
        if tag_of(part) in ("context", "traceFormat"):
            current = contexts.of(part) or current
        stack: list[tuple[ET.Element, str | None]] = [(part, None)]
        while stack:
            element, reference = stack.pop()
            if tag_of(element) in ("trace", "traceGroup"):
                reference = element.get("contextRef") or reference
            if tag_of(element) == "trace":
                yield element, (reference, current)
            stack.extend((child, reference) for child in element)
