"""Writes the JSON Schemas of results, of a formula and of a page, from the types of the service.

python -m tools.formula_schema
"""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from san.files import write_file
from san.serve.responses import PageResult, Result

DOCS = Path(__file__).parents[1] / "docs"
FILE, PAGE_FILE = DOCS / "formula.schema.json", DOCS / "page.schema.json"


def schema(result: Any = Result) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **TypeAdapter(result).json_schema(),
    }


def main() -> None:
    for file, result in ((FILE, Result), (PAGE_FILE, PageResult)):
        write_file(file, json.dumps(schema(result), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
