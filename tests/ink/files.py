"""InkML that tests write by hand, and what is read from it."""

from san.ink import read_inkml


def inkml(body: str) -> bytes:
    return f'<ink xmlns="http://www.w3.org/2003/InkML">{body}</ink>'.encode()


def points(body: str) -> list:
    return [stroke.tolist() for stroke in read_inkml(inkml(body)).ink.strokes]


def trace_format(*names: str, key: str = "", more: str = "") -> str:
    """A trace format of some channels; `Y-` is one that grows the other way."""
    channels = "".join(
        f'<channel name="{name.rstrip("-")}"{TURNED if name.endswith("-") else ""}/>'
        for name in names
    )
    return f'<traceFormat xml:id="{key}">{channels}{more}</traceFormat>'


TURNED = ' orientation="-ve"'
