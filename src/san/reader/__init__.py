"""From a picture, a photograph or ink to a formula: what people come for."""

from san.reader.limits import Limits
from san.reader.recognizer import Failure, Recognizer
from san.reader.result import Formula, WrittenSymbol
from san.reader.shared import read
from san.reader.source import Source

__all__ = ["Failure", "Formula", "Limits", "Recognizer", "Source", "WrittenSymbol", "read"]
