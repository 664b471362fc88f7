"""The page's files, from memory: compressed once, under addresses that change with them.

The page names its files by an address that has the digest of all of them in it: a browser keeps
those for good, so a page that is opened again loads nothing, and a new script never meets an old
one. Without the digest, as other sites name `san.js`, a browser asks each time whether a file is
still the same.

A script says only when it has come which others it needs, which on a slow network is late: the page
names all of them at its beginning, and its response the texts in the language of who asks.
"""

import gzip
import re
from dataclasses import dataclass
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path
from posixpath import dirname, normpath

from starlette.datastructures import Headers
from starlette.responses import Response

from san.serve.problems import Problem

INDEX = "index.html"
KEPT = "public, max-age=31536000, immutable"
ASKED_FOR = "no-cache"  # kept, and used once the server has said that it is still the same

SCRIPT = re.compile(rb'<script type="module" src="static/([^"]+)"')
IMPORT = re.compile(rb'\bfrom "(\./[\w./-]+)"')
TEXTS = "js/texts.%s.js"  # translations, which js/languages.js loads when it knows the language


@dataclass(frozen=True)
class PageFile:
    content: bytes
    compressed: bytes | None  # None: no smaller than the content
    media_type: str
    etag: str

    @classmethod
    def of(cls, name: str, content: bytes) -> "PageFile":
        compressed = gzip.compress(content, mtime=0)
        return cls(
            content,
            compressed if len(compressed) < 0.9 * len(content) else None,
            guess_type(name)[0] or "application/octet-stream",
            f'"{sha256(content).hexdigest()[:32]}"',
        )

    def response(self, headers: Headers, cache_control: str = ASKED_FOR) -> Response:
        told = {"Cache-Control": cache_control, "ETag": self.etag, "Vary": "Accept-Encoding"}
        if self.etag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=told)
        if self.compressed is None or "gzip" not in headers.get("accept-encoding", ""):
            return Response(self.content, headers=told, media_type=self.media_type)
        told["Content-Encoding"] = "gzip"
        return Response(self.compressed, headers=told, media_type=self.media_type)


class PageFiles:
    """All files of a folder: its page, and what that loads."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        digests = (f"{name} {sha256(content).hexdigest()}" for name, content in contents.items())
        self.version = sha256("\n".join(digests).encode()).hexdigest()[:16]
        page = SCRIPT.sub(lambda found: _preloads(found, contents) + found[0], contents.pop(INDEX))
        page = page.replace(b'"static/', b'"static/%s/' % self.version.encode())
        self._page = PageFile.of(INDEX, page)
        self._files = {name: PageFile.of(name, content) for name, content in contents.items()}

    def page(self, headers: Headers) -> Response:
        response = self._page.response(headers)
        response.headers["Vary"] += ", Accept-Language"
        if texts := self._texts(headers.get("accept-language", "")):
            address = f"static/{self.version}/{texts}"
            response.headers["Link"] = f'<{address}>; rel="modulepreload"'
        return response

    def _texts(self, languages: str) -> str | None:
        """The translation that js/languages.js will choose; None for English."""
        for language in languages.lower().split(","):
            short = language.strip()[:2]
            if short == "en" or TEXTS % short in self._files:
                return None if short == "en" else TEXTS % short
        return None

    def response(self, path: str, headers: Headers) -> Response:
        """The file with this path, which may begin with the version; 404 if there is none."""
        name = path.removeprefix(f"{self.version}/")
        file = self._files.get(name)
        if file is None:
            raise Problem(404, "there is no such file")
        return file.response(headers, ASKED_FOR if name == path else KEPT)


def _preloads(script: re.Match[bytes], contents: dict[str, bytes]) -> bytes:
    """Links to all that a script of the page imports, in the order in which they were found."""
    names = [script[1].decode()]
    for name in names:
        for other in IMPORT.findall(contents[name]):
            path = normpath(f"{dirname(name)}/{other.decode()}")
            if path not in names:
                names.append(path)
    links = (f'<link rel="modulepreload" href="static/{name}" />' for name in names[1:])
    return "".join(links).encode()
