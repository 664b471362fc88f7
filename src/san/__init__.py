"""san reads handwritten mathematics: `san.read("photo.jpg").latex`.

The reader is imported when it is first asked for: who only wants `san.grammar` waits for nothing.
"""

from typing import TYPE_CHECKING

from san.errors import SanError

if TYPE_CHECKING:
    from san.notebook import sheet
    from san.reader import Failure, Formula, Limits, Page, Recognizer, Symbol, read

__version__ = "0.1.0"
__all__ = [
    "Failure",
    "Formula",
    "Limits",
    "Page",
    "Recognizer",
    "SanError",
    "Symbol",
    "__version__",
    "read",
    "sheet",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'san' has no attribute {name!r}")
    if name == "sheet":
        from san import notebook

        return notebook.sheet
    from san import reader

    return getattr(reader, name)


def __dir__() -> list[str]:
    return sorted(__all__)
