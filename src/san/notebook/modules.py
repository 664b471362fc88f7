"""The page's ES modules as one text, for places that take a single module.

`<san-sheet>` is several files that import one another by relative names. Each becomes a blob of its
own in the browser, with the names of those that it imports replaced by their blobs' addresses: no
build step, and no second copy of the code that draws.
"""

import json
import re
from importlib.resources import files

IMPORT = re.compile(r'(?:(?<=from ")|(?<=import\("))\./([\w.-]+\.js)(?=")')
PAGE_SCRIPTS = files("san") / "serve" / "page" / "js"
LOADER = """\
function load(modules) {
  const imported = /(?<=from "|import\\(")\\.\\/([\\w.-]+\\.js)(?=")/g;
  const addresses = {};
  for (const [name, text] of modules) {
    const linked = text.replace(imported, (_, other) => addresses[other]);
    addresses[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
  }
  return import(addresses[modules.at(-1)[0]]);
}
"""


def imported_first(name: str) -> list[str]:
    """A module of the page and all that it imports, each behind those that it imports itself."""
    order: dict[str, None] = {}

    def visit(module: str) -> None:
        if module not in order:
            for other in dict.fromkeys(IMPORT.findall(_text(module))):
                visit(other)
            order[module] = None

    visit(name)
    return list(order)


def single_module(name: str, script: str) -> str:
    """A script that finds the exports of a module of the page in `await loaded`."""
    modules = json.dumps(
        [(module, _text(module)) for module in imported_first(name)], ensure_ascii=False
    )
    return f"{LOADER}\nconst loaded = load({modules});\n\n{script}"


def _text(name: str) -> str:
    return (PAGE_SCRIPTS / name).read_text("utf-8")
