"""Reading: from an image, a photograph or ink to a formula."""

from san.reader.known import AnnotatedInk
from san.reader.limits import Limits
from san.reader.pages.page import Page
from san.reader.prepared import KnownSymbol
from san.reader.recognizer import Recognizer
from san.reader.result import Formula
from san.reader.shared import read
from san.reader.source import Source
from san.reader.stream import Failure
from san.reader.symbols import Symbol

__all__ = [
    "AnnotatedInk",
    "Failure",
    "Formula",
    "KnownSymbol",
    "Limits",
    "Page",
    "Recognizer",
    "Source",
    "Symbol",
    "read",
]
