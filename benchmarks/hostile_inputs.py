"""Hostile inputs by kind and number: each is sound content, changed; the same number, the same one.

Checksums that a format keeps are right again after a change (PNG, zip), so that the damage reaches
the code behind them. `attempt` gives an input to what reads its kind.
"""

import io
import json
import random
import socket
import struct
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from safetensors.numpy import save

from hostile_documents import hostile_document, read_document
from hostile_states import hostile_state, read_state
from san.data.pack import Pack, write_pack
from san.data.sample import Sample
from san.errors import SanError
from san.grammar import parse
from san.grammar.formats import WRITERS
from san.grammar.json import from_json, to_json
from san.ink import Ink, Sheet, draw, read_inkml, write_inkml
from san.model.onnx.weights import Weights
from san.model.spec import NetworkConfig, tensor_shapes
from san.reader.limits import Limits
from san.reader.source import open_source

FORMATS = ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP")
TIFF_COMPRESSIONS = (
    *("raw", "group3", "group4", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"),
)
LATEX = (
    r"\frac{a+b}{\sqrt[3]{x_{i}^{2}}}",
    r"\sum_{i=1}^{n}\left(x-1\right)\leq\alpha",
    r"x^{2}+1=\begin{matrix}a&b\\c&d\end{matrix}",
)
PIECES = (
    *r"{ } [ ] ^ _ \\ $ & # % ~ ' \frac \sqrt \left \right \begin{cases} \end{cases} \over".split(),
    *("\0", "\n", "é", "𝛼", "x" * 300, "{" * 200, "^{" * 100, "9" * 400),
)
NUMBERS = (0, 1, 2, 127, 128, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1)
JSON_VALUES = (
    *("null", "true", "-1", "1e999", "10" * 300, '"x"', "[]", "{}", "[" * 50, "NaN", '"\\ud800"'),
)
ODD_VALUES: tuple[Any, ...] = (None, True, -1, 10**400, 1e308, 0.5, "", "x", [], {})
ODD_CHUNKS = (b"iCCP", b"tRNS", b"eXIf", b"zTXt", b"gAMA", b"acTL", b"PLTE", b"tEXt")
INKML_PIECES = ("", "nan ", "1e400", "<", "&a;", ",", ", ,", "<!DOCTYPE a>", "\ud7ff", "-")
STROKES = json.dumps({"strokes": [[[0, 0], [9, 9.5]], [[1, 2]]], "unit": "px"})
ODD_HEADERS = (
    *("Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: keep-alive", "Host: y"),
    *("Content-Length: 3", "Content-Type: multipart/form-data; boundary=x", "Upgrade: websocket"),
    *("Range: bytes=9-", "X: " + "y" * 9_000, "Content-Type: \xff", "Cookie: a", ":", "Host:"),
)
SAY_SECONDS, ANSWER_SECONDS = 0.1, 20.0
"""Seconds after which whoever asks says no more; in which there must be an answer then."""
X_IS_1 = (((0, 0), (20, 40)), ((20, 0), (0, 40)), ((40, 15), (70, 15)), ((40, 25), (70, 25)))


def hostile(kind: str, number: int) -> bytes:
    """The input of this kind and number."""
    dice = random.Random(f"{kind} {number}")
    return MAKERS[kind](dice)


def attempt(kind: str, content: bytes) -> bool:
    """Whether it was read; False where it was refused with one line. Anything else is raised."""
    try:
        ATTEMPTS[kind](content)
    except SanError as error:
        line = str(error)
        if "\n" in line or len(line) > 500:
            raise AssertionError(f"not one clear line: {line[:200]!r}") from None
        return False
    return True


def changed(content: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, cut out, doubled, put in, or overwritten by a number that is odd."""
    changed = bytearray(content)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(changed)) if changed else 0
        at = at if dice.random() < 0.5 else at % 64  # heads are where the harm is
        span = slice(at, at + dice.randint(1, 40))
        what = dice.randrange(6)
        if what == 0 and changed:
            changed[at] = dice.randrange(256)
        elif what == 1:
            del changed[span]
        elif what == 2:
            changed[at:at] = changed[span]
        elif what == 3:
            changed[at:at] = dice.randbytes(dice.randint(1, 8))
        elif what == 4:
            width, order = dice.choice("BHL"), dice.choice("<>")
            size = struct.calcsize(width)
            value = dice.choice(NUMBERS) % (1 << 8 * size)
            changed[at : at + size] = struct.pack(order + width, value)
        else:
            del changed[dice.randrange(len(changed) + 1) :]
    return bytes(changed)


@cache
def _picture(form: str, mode: str, compression: str = "") -> bytes:
    image = Image.fromarray(255 - draw(_ink())).convert("RGB").reduce(2)  # small ones are quick
    ImageDraw.Draw(image).line((0, 0, *image.size), (200, 30, 30))
    file = io.BytesIO()
    options = {"compression": compression} if compression else {}
    image.convert(mode).save(file, form, **options)
    return file.getvalue()


@cache
def _ink() -> Ink:
    return Ink.of((*X_IS_1, ((90, 0), (90, 40))))


def _image(dice: random.Random) -> bytes:
    form = dice.choice(FORMATS)
    mode = dice.choice(("L", "RGB", "1") if form != "WEBP" else ("L", "RGB"))
    if form in ("PNG", "TIFF", "WEBP") and dice.random() < 0.3:
        mode = "RGBA"
    compression = dice.choice(TIFF_COMPRESSIONS) if form == "TIFF" else ""
    if compression.startswith("group"):
        mode = "1"
    if compression == "jpeg":
        mode = "RGB"
    content = _picture(form, "L" if form == "JPEG" and mode == "1" else mode, compression)
    return _png(content, dice) if form == "PNG" else changed(content, dice)


def _png(content: bytes, dice: random.Random) -> bytes:
    """Chunks changed, doubled, moved or left out; their checksums are right."""
    chunks, at = [], 8
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        chunks.append((content[at + 4 : at + 8], content[at + 8 : at + 8 + length]))
        at += 12 + length
    for _ in range(dice.randint(1, 3)):
        place = dice.randrange(len(chunks))
        name, data = chunks[place]
        what = dice.randrange(6)
        if what == 0:
            chunks.insert(dice.randrange(len(chunks) + 1), chunks[place])
        elif what == 1 and len(chunks) > 1:
            del chunks[place]
        elif what == 2:
            chunks.insert(place, (dice.choice(ODD_CHUNKS), dice.randbytes(dice.randint(0, 30))))
        elif name == b"IDAT" and what < 5:
            raw = changed(_unpacked(data) if dice.random() < 0.7 else data, dice)
            chunks[place] = (name, zlib.compress(raw))
            break  # it can be unpacked no more
        else:
            chunks[place] = (name, changed(data, dice) if data else dice.randbytes(4))
    parts = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    return content[:8] + b"".join(parts)


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error:  # it was changed before
        return data


def _inkml(dice: random.Random) -> bytes:
    sound = write_inkml(Sheet(_ink(), (), "x=1")).decode()
    for _ in range(dice.randint(0, 3)):
        old = dice.choice(("<trace", "</trace>", "id=", "<ink", " ", ",", "0", '"'))
        new = dice.choice(INKML_PIECES)
        sound = sound.replace(old, new, dice.randint(1, 3))
    return changed(sound.encode(), dice) if dice.random() < 0.6 else sound.encode()


def _text(sound: str, pieces: tuple[str, ...], dice: random.Random) -> bytes:
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(sound) + 1)
        cut = dice.choice((0, 0, 1, 5, 40))
        sound = sound[:at] + dice.choice(pieces) + sound[at + cut :]
    return sound.encode()


def _document(sound: str, dice: random.Random) -> bytes:
    """JSON that is none any more, or JSON with other values than it should have."""
    if dice.random() < 0.3:
        return _text(sound, JSON_VALUES, dice)
    document = json.loads(sound)
    for _ in range(dice.randint(1, 3)):
        inner: Any = document
        while isinstance(inner, dict | list) and inner:
            key = dice.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if not isinstance(inner[key], dict | list) or dice.random() < 0.2:
                inner[key] = dice.choice((*ODD_VALUES, [inner[key]] * 3))
                break
            inner = inner[key]
    return json.dumps(document).encode()


def _weights(dice: random.Random) -> bytes:
    content = _small_weights()
    if dice.random() < 0.5:
        return changed(content, dice)
    length = int.from_bytes(content[:8], "little")
    head = _document(content[8 : 8 + length].decode(), dice)
    return len(head).to_bytes(8, "little") + head + content[8 + length :]


@cache
def _small_weights() -> bytes:
    from san.grammar.vocabulary import Vocabulary
    from san.model.spec import FORMAT

    config = NetworkConfig(stem=8, growth=2, layers=1, hidden=8, embedding=8, attention=8, merge=8)
    vocabulary = Vocabulary(("x", "="))
    shapes = tensor_shapes(config, vocabulary)
    arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    facts = {
        "format": FORMAT,
        "network": json.dumps(vars(config)),
        "vocabulary": vocabulary.to_json(),
        "facts": "{}",
    }
    return save(arrays, facts)


def _pack(dice: random.Random) -> bytes:
    """Members of the zip changed, doubled or left out; their checksums are right."""
    content = _small_pack()
    if dice.random() < 0.3:
        return changed(content, dice)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as sound, zipfile.ZipFile(out, "w") as archive:
        names = sound.namelist()
        victim = dice.choice(names)
        for name in names:
            data = sound.read(name)
            if name == victim and dice.random() < 0.2:
                continue
            archive.writestr(name, changed(data, dice) if name == victim else data)
    return out.getvalue()


@cache
def _small_pack() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.npz"
        noise = np.random.default_rng(0).integers(0, 256, (20, 30), np.uint8)
        file = io.BytesIO()
        Image.fromarray(noise).save(file, "PNG")
        photo = Sample("b", parse("y"), image=noise, encoded=file.getvalue())
        write_pack([Sample("a", parse("x=1"), ink=_ink()), photo], path)
        return path.read_bytes()


def _read_pack(content: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(content)
        file.flush()
        pack = Pack.load(file.name)
    for place in range(len(pack)):
        pack.tree(place), pack.image(place), pack.ink(place), pack.glyphs(place)


def _read_latex(content: bytes) -> None:
    tree = parse(content.decode(errors="replace"))
    for write in WRITERS.values():
        write(tree)


def _read_strokes(content: bytes) -> None:
    from san.serve.problems import Problem
    from san.serve.sources import ink_source

    try:
        open_source(ink_source(content, Limits()), Limits())
    except Problem as problem:  # as the service says it
        raise SanError(str(problem.detail)) from None


MAKERS: dict[str, Callable[[random.Random], bytes]] = {
    "image": _image,
    "inkml": _inkml,
    "strokes": lambda dice: _document(STROKES, dice),
    "latex": lambda dice: _text(dice.choice(LATEX), PIECES, dice),
    "json": lambda dice: _document(to_json(parse(dice.choice(LATEX))), dice),
    "weights": _weights,
    "pack": _pack,
    "state": lambda dice: hostile_state(dice, changed, _document),
    "documents": lambda dice: hostile_document(dice, changed),
}
ATTEMPTS: dict[str, Callable[[bytes], object]] = {
    "image": lambda content: open_source(content, Limits()),
    "inkml": lambda content: open_source(read_inkml(content), Limits()),
    "strokes": _read_strokes,
    "latex": _read_latex,
    "json": lambda content: from_json(content.decode(errors="replace")),
    "weights": lambda content: _take_all(Weights(content)),
    "pack": _read_pack,
    "state": read_state,
    "documents": lambda content: read_document(content, _ask),
}


def _request(dice: random.Random) -> bytes:
    path = dice.choice(("read", "ink", "write", "inkml", "read?n_best=2", "ink?formats=tree"))
    kind = {"r": "image", "i": "strokes", "w": "json"}[path[0]]
    body = hostile(kind, dice.randrange(10**6))
    length = dice.choice((len(body), len(body), len(body), 0, 10**12, -1, len(body) + 9))
    headers = [f"Content-Length: {length}", "Host: x", "Connection: close"]
    for _ in range(dice.randint(0, 2)):
        headers.insert(dice.randrange(len(headers) + 1), dice.choice(ODD_HEADERS))
    head = "\r\n".join((f"POST /api/v1/{path} HTTP/1.1", *headers, "", ""))
    request = head.encode("latin-1") + body
    return changed(request, dice) if dice.random() < 0.4 else request


def _ask(request: bytes) -> None:
    """SanError for an answer below 500, or 503, or none to what is not HTTP."""
    with socket.create_connection(("127.0.0.1", _port()), timeout=ANSWER_SECONDS) as connection:
        connection.settimeout(SAY_SECONDS)
        answer = b""
        with suppress(ConnectionError):
            connection.sendall(request)
            try:
                while part := connection.recv(65536):
                    answer += part
            except TimeoutError:  # it waits for the rest of the body, or for another request
                connection.settimeout(ANSWER_SECONDS)
                connection.shutdown(socket.SHUT_WR)
                while not answer and (part := connection.recv(65536)):
                    answer += part
    status = answer[9:12]
    if answer.startswith(b"HTTP/1.1 5") and status != b"503":
        raise AssertionError(f"answered {answer[:300]!r}")
    if status != b"200":
        raise SanError(f"answered {status.decode(errors='replace')}")


@cache
def _port() -> int:
    from san.reader import Recognizer
    from san.serve.app import create_app
    from san.serve.server import bind, create_server
    from san.serve.settings import REQUEST_LIMITS, Settings

    bound = bind("127.0.0.1", 0)
    reader = Recognizer(threads=1, limits=REQUEST_LIMITS, quick=True)
    running = create_server(create_app(reader, Settings(threads=1, upload_timeout=0.1)), 5)
    threading.Thread(target=running.run, kwargs={"sockets": [bound]}, daemon=True).start()
    port: int = bound.getsockname()[1]
    return port


MAKERS["http"], ATTEMPTS["http"] = _request, _ask


def _take_all(weights: Weights) -> None:
    for name in tensor_shapes(weights.config, weights.vocabulary):
        weights.tensor(name)
    weights.finish()
