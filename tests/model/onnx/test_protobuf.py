import pytest

from san.model.onnx.protobuf import message


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, b"\x08\x00"),
        (1, b"\x08\x01"),
        (127, b"\x08\x7f"),
        (128, b"\x08\x80\x01"),
        (300, b"\x08\xac\x02"),
        (-1, b"\x08" + b"\xff" * 9 + b"\x01"),
        ("", b"\x0a\x00"),
        ("hé", b"\x0a\x03h\xc3\xa9"),
        (b"\x00\xff", b"\x0a\x02\x00\xff"),
    ],
)
def test_a_field(value: int | str | bytes, written: bytes) -> None:
    assert message([(1, value)]) == written


def test_large_numbers_of_fields_and_long_contents() -> None:
    assert message([(20, 7), (20, 8)]) == b"\xa0\x01\x07\xa0\x01\x08"
    assert message([(2, b"x" * 200)]) == b"\x12\xc8\x01" + b"x" * 200
    assert message([]) == b""
