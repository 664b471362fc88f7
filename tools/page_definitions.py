"""Writes for the page what LaTeX needs to know of symbols that its packages do not define.

python -m tools.page_definitions
"""

import json
from pathlib import Path

from san.files import write_file
from san.grammar.definitions import DEFINITIONS

FILE = Path(__file__).parents[1] / "src/san/serve/page/js/definitions.js"
HEAD = """// What a LaTeX file defines, by symbol. Written by tools/page_definitions.py.

export const DEFINITIONS = """


def text() -> str:
    return f"{HEAD}{json.dumps(DEFINITIONS, indent=2, ensure_ascii=False)};\n"


def main() -> None:
    write_file(FILE, text())


if __name__ == "__main__":
    main()
