"""Protocol buffers, the wire format of ONNX files: as much of it as writing a graph takes.

The onnx package would bring 40 MB more to every reader's machine, to write six kinds of message.
A field is its number and its kind in one varint, then the value; a message is its fields in a row.
"""

from collections.abc import Iterable

Field = tuple[int, "int | str | bytes"]
"""A field's number and its value: an integer, a text, or bytes (a message is bytes as well)."""

VARINT, BYTES = 0, 2


def message(fields: Iterable[Field]) -> bytes:
    """The fields in this order; one that repeats is given several times."""
    parts: list[bytes] = []
    for number, value in fields:
        if isinstance(value, int):
            parts += (_varint(number << 3 | VARINT), _varint(value))
        else:
            content = value.encode() if isinstance(value, str) else value
            parts += (_varint(number << 3 | BYTES), _varint(len(content)), content)
    return b"".join(parts)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number is written as its 64 bits."""
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)
