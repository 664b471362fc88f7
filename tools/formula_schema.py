"""Writes docs/formula.schema.json, the JSON Schema of a result, from the types of the service.

python -m tools.formula_schema
"""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from san.files import write_file
from san.serve.responses import Result

FILE = Path(__file__).parents[1] / "docs" / "formula.schema.json"


def schema() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **TypeAdapter(Result).json_schema(),
    }


def main() -> None:
    write_file(FILE, json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
