"""From an engine's numbers to a tree. No torch here: any engine will do."""

from san.decoding.beam import decode_beam
from san.decoding.confidence import Calibration
from san.decoding.engine import DecodingLimits, Engine, Memory
from san.decoding.frontier import decode
from san.decoding.reading import Reading

__all__ = ["Calibration", "DecodingLimits", "Engine", "Memory", "Reading", "decode", "decode_beam"]
