"""Request bodies as sources for the recognizer. Runs in a worker: large bodies take their time."""

import logging
from base64 import b64decode
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, FormParser, parse_options_header

from san.errors import SanError, brief
from san.images.documents import looks_like_pdf, page_price, several_pages
from san.images.open import looks_like_image
from san.ink import Ink, InkError, InkLimits, looks_like_inkml
from san.reader import AnnotatedInk, KnownSymbol, Limits, Source
from san.reader.source import DocumentPage
from san.serve import requests
from san.serve.drawing import drawing_price
from san.serve.problems import Problem, validation_message

# It would tell the log what strangers sent, as often as they like.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)

Parsed = TypeVar("Parsed", bound=BaseModel)

FORM_TYPE = b"multipart/form-data"
JSON_TYPE = b"application/json"
JSON_STARTS = tuple(bytes([byte]) for byte in b'{["-0123456789tfn')
"""How JSON begins, and no image: what is called JSON and begins otherwise is taken for a file."""
NO_IMAGE = "JSON without an `image` in base64: strokes go to /api/v1/ink"
NO_INK = "send it to /api/v1/read"
FORM_FIELD, FORM_START = b"file", b"--"
OPTIONS = {
    name: kind
    for kind in (requests.ReadOptions, requests.DrawOptions)
    for name in kind.model_fields
}
"""They go in the query: in a form they would be passed over in silence."""
MAX_PARTS = 100
"""Of a form: one is wanted."""
MAX_SPACE = 64
"""Bytes of white space before JSON."""


def image_source(body: bytes, kind: str) -> Source:
    """An image, sent in any of the ways of `_file`."""
    content = _file(body, kind)
    # A PDF is not read here however few pages it has, so nobody counts them.
    if pages := "a PDF" if looks_like_pdf(content) else several_pages(content):
        raise SanError(f"{pages}: send its pages as images, which /api/v1/document draws")
    return content


def document_source(body: bytes, kind: str, page: int) -> Source:
    """One page of a file, sent in any of the ways of `_file`."""
    content = _file(body, kind)
    if looks_like_inkml(content):
        raise SanError("InkML has no pages: send it to /api/v1/ink")
    return DocumentPage(content, page)


def _file(body: bytes, kind: str) -> bytes:
    """A file: the body itself, the field `file` of a form, or in base64 the `image` of JSON."""
    name, options = parse_options_header(kind)
    content = body
    if name == FORM_TYPE:
        content = _field(body, options.get(b"boundary", b""))
    elif name == JSON_TYPE and _begins_as_json(body):
        if len(body) > InkLimits.bytes and b'"image"' not in body:  # much that would be built
            raise Problem(422, NO_IMAGE)
        content = _from_base64(parsed(requests.ImageRequest, body).image)
    if not content:
        raise Problem(400, "nothing was sent: send an image")
    return content


def page_source(body: bytes, kind: str, limits: Limits) -> Source:
    """Strokes where the client calls it JSON and it holds no image, otherwise a file."""
    name, _ = parse_options_header(kind)
    as_json = name == JSON_TYPE and (_begins_as_json(body) or not body.strip())
    strokes = as_json and b'"image"' not in body  # base64 has no quotes
    return ink_source(body, limits) if strokes else image_source(body, kind)


def ink_source(body: bytes, limits: Limits) -> Source:
    """InkML where it looks like XML, otherwise JSON: whatever the client calls it."""
    if not body.strip():
        raise Problem(400, "nothing was sent: send strokes as JSON, or InkML")
    if looks_like_inkml(body):
        return body
    if not _begins_as_json(body):
        _refuse_file(body)
    check_brackets(body, limits, 1 + requests.MAX_SYMBOLS)  # of each known symbol, its strokes
    given = parsed(requests.InkRequest, body)
    known = (KnownSymbol(one.symbol, tuple(one.strokes)) for one in given.known)
    ink = Ink.of(given.strokes)
    return AnnotatedInk(ink, tuple(known)).checked() if given.known else ink


def check_brackets(body: bytes, limits: Limits, others: int = 0) -> None:
    """Strokes and points are counted before they are built: each begins with a bracket. `others`
    do as well."""
    if body.count(b"[") > 1 + limits.strokes + limits.points + others:
        raise InkError(f"more than {limits.strokes:,} strokes or {limits.points:,} points")


def parsed(kind: type[Parsed], body: bytes) -> Parsed:
    """A request in JSON; a Problem where it is not what it should be."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        raise Problem(422, _misplaced(kind, faults) or validation_message(faults)) from None


def _misplaced(kind: type[BaseModel], faults: Sequence[Any]) -> str:
    """What to say of an image or of options among fields, which go elsewhere."""
    extra = {fault["loc"][0] for fault in faults if fault["type"] == "extra_forbidden"}
    if kind is requests.InkRequest and "image" in extra:
        return f"an image: {NO_INK}"
    # No object at all, or one without it.
    if kind is requests.ImageRequest and any(
        fault["type"] == "model_type" or (fault["type"], fault["loc"]) == ("missing", ("image",))
        for fault in faults
    ):
        return NO_IMAGE
    options: Iterable[str] = ()
    if kind is requests.InkRequest:
        options = requests.ReadOptions.model_fields
    elif kind is requests.ImageRequest:
        options = OPTIONS
    return next((_in_query(name) for name in options if name in extra), "")


def _in_query(name: str) -> str:
    names = requests.option_names(OPTIONS[name])
    return f"{name}: options go in the query, as ?{name}=; those are: {names}"


def _begins_as_json(body: bytes) -> bool:
    return body[:MAX_SPACE].lstrip().startswith(JSON_STARTS) and not body.startswith(FORM_START)


def _refuse_file(body: bytes) -> None:
    """A Problem for a file where ink is wanted, and for a form."""
    if looks_like_pdf(body):
        raise Problem(422, f"a PDF: {NO_INK}")
    if looks_like_image(body):
        raise Problem(422, f"an image: {NO_INK}")
    if body.startswith(FORM_START):
        raise Problem(422, "a form: send ink as the body itself, and an image to /api/v1/read")


def price_of(source: Source, limits: Limits) -> int:
    """What opening an image costs; 0 where it is none, or too large: the reader will tell."""
    if isinstance(source, DocumentPage):
        return drawing_price(source, limits.pixels)
    return page_price(source, 1, limits.pixels) if isinstance(source, bytes) else 0


def _from_base64(text: str) -> bytes:
    """A file in base64, perhaps as a `data:` URL; in lines, as many encoders write it."""
    digits = text.rpartition(";base64,")[2].replace("\n", "").replace("\r", "")
    try:
        return b64decode(digits, validate=True)
    except ValueError:
        raise Problem(422, "image: not base64") from None


def _field(body: bytes, boundary: bytes) -> bytes:
    if not boundary:
        raise Problem(400, "a form without a boundary: its Content-Type is to name it")
    if not body.lstrip(b"\r\n").startswith(FORM_START + boundary):
        raise Problem(400, "not a form: it begins without the boundary that its Content-Type names")
    files: list[bytes] = []
    parts = count(1)

    def keep(part: File | Field) -> None:
        if next(parts) > MAX_PARTS:
            raise Problem(400, f"a form of more than {MAX_PARTS} parts")
        if part.field_name and (name := part.field_name.decode(errors="replace")) in OPTIONS:
            raise Problem(422, _in_query(name))
        if part.field_name == FORM_FIELD:
            if isinstance(part, File):
                part.file_object.seek(0)
                files.append(part.file_object.read())
            else:
                files.append(part.value or b"")

    in_memory = {"MAX_MEMORY_FILE_SIZE": len(body) + 1, "UPLOAD_ERROR_ON_BAD_CTE": True}
    try:
        parser = FormParser(FORM_TYPE.decode(), keep, keep, boundary=boundary, config=in_memory)
        parser.write(body)
        parser.finalize()
    except (FormParserError, ValueError) as error:
        raise Problem(400, f"not a form: {brief(str(error))}") from None
    if len(files) != 1:
        raise Problem(
            400, f"a form with one file in a field named `file` is wanted, not {len(files)}"
        )
    return files[0]
