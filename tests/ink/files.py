"""InkML that tests write by hand, and what is read from it."""

import pytest

from san.ink import InkError, read_inkml


def inkml(body: str) -> bytes:
    return f'<ink xmlns="http://www.w3.org/2003/InkML">{body}</ink>'.encode()


def points(body: str) -> list:
    return [stroke.tolist() for stroke in read_inkml(inkml(body)).ink.strokes]


def refused_in_one_line(body: str, reason: str) -> None:
    with pytest.raises(InkError) as caught:
        read_inkml(inkml(body), name="bad.inkml")
    assert str(caught.value).startswith("bad.inkml: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


def trace_format(*names: str, key: str = "", more: str = "") -> str:
    """A trace format of some channels; `Y-` is one that grows the other way."""
    channels = "".join(
        f'<channel name="{name.rstrip("-")}"{TURNED if name.endswith("-") else ""}/>'
        for name in names
    )
    return f'<traceFormat xml:id="{key}">{channels}{more}</traceFormat>'


TURNED = ' orientation="-ve"'
