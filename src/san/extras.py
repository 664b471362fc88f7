"""Optional dependencies: how to install one that is missing."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from san.errors import SanError

CHECKOUT = Path(__file__).parents[2]


def missing_package(error: ModuleNotFoundError, extra: str) -> SanError:
    """What to say when a package of an extra is not there."""
    return SanError(f"this needs {error.name}, which is not installed: {install_hint(extra)}")


def install_hint(extra: str) -> str:
    """The command that adds an extra to what this was installed from."""
    if (CHECKOUT / "pyproject.toml").is_file():
        return f"pip install '.[{extra}]'"
    try:
        origin = json.loads(distribution("san").read_text("direct_url.json") or "{}").get("url")
    except PackageNotFoundError:
        origin = None
    return f"pip install 'san[{extra}] @ {origin}'" if origin else f"pip install 'san[{extra}]'"
