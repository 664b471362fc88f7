"""InkML: what is read, what is refused, and how little work a refusal takes."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from san.ink import (
    Box,
    Ink,
    InkError,
    InkLimits,
    Sheet,
    looks_like_inkml,
    read_inkml,
    write_inkml,
)
from san.ink import strokes as strokes_module
from san.ink.strokes import Points, box_of
from tests.ink.files import inkml, points
from tests.ink.formulas import fraction
from tests.work import calls_of

FULL = inkml(
    """
    <traceFormat><channel name="X" type="decimal"/><channel name="Y" type="decimal"/></traceFormat>
    <annotation type="truth">$ x^2 $</annotation>
    <annotation type="UI">A_1</annotation>
    <annotation type="writer">w7</annotation>
    <annotation type="age">30</annotation>
    <annotationXML type="truth" encoding="Content-MathML">
      <math xmlns='http://www.w3.org/1998/Math/MathML'>
        <msup><mi xml:id="x_1">x</mi><mn>2</mn></msup>
      </math>
    </annotationXML>
    <trace id="0">0 0, 10 20</trace>
    <trace id="1">10 0, 0 20</trace>
    <trace id="2">12 -8, 16 0,</trace>
    <traceGroup xml:id="g">
      <annotation type="truth">Segmentation</annotation>
      <traceGroup><annotation type="truth">2</annotation>
        <traceView traceDataRef="2"/></traceGroup>
      <traceGroup><annotation type="truth">x</annotation>
        <annotationXML href="x_1"/>
        <traceView traceDataRef="1"/><traceView traceDataRef="0"/></traceGroup>
      <traceGroup><annotation type="truth">lost</annotation>
        <traceView traceDataRef="0"/><traceView traceDataRef="99"/></traceGroup>
    </traceGroup>
    """
)


def test_everything_of_a_file_is_read() -> None:
    sheet = read_inkml(FULL, name="folder/A.inkml")
    assert (sheet.name, sheet.ui, sheet.writer, sheet.truth) == ("A", "A_1", "w7", "x^2")
    assert len(sheet.ink.strokes) == 3
    assert [(g.label, g.strokes) for g in sheet.glyphs] == [("2", (2,)), ("x", (0, 1))]
    assert sheet.glyphs[0].box == Box(12, -8, 16, 0)
    assert sheet.glyphs[1].box == Box(0, 0, 10, 20)


def test_mathml_keeps_its_namespace_and_ids() -> None:
    mathml = read_inkml(FULL).mathml
    assert mathml is not None
    assert mathml.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML">')
    assert '<msup><mi xml:id="x_1">x</mi><mn>2</mn></msup>' in mathml


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2,3 4", [[1, 2], [3, 4]]),
        ("\n 1 2 , 3\t4,\n", [[1, 2], [3, 4]]),
        ("1.5e1 -2E-1", [[15, np.float32(-0.2)]]),
        ("1 2 99, 3 4 98", [[1, 2], [3, 4]]),  # time or force follows
        ("7 7", [[7, 7]]),
        ("7\n7\n", [[7, 7]]),
        ("7 7,\n8\n8", [[7, 7], [8, 8]]),
    ],
)
def test_points(text: str, expected: list) -> None:
    assert points(f"<trace>{text}</trace>") == [expected]


def test_pen_up_and_empty_traces_are_no_strokes() -> None:
    body = '<trace type="penUp">5 5, 6 6</trace><trace/><trace id="a"> </trace><trace>1 1</trace>'
    assert points(body) == [[[1, 1]]]


def test_references_may_carry_a_hash() -> None:
    group = '<traceGroup><annotation>1</annotation><traceView traceDataRef="#t"/></traceGroup>'
    sheet = read_inkml(inkml(f'<trace xml:id="t">0 0, 0 5</trace>{group}'))
    assert [(g.label, g.strokes) for g in sheet.glyphs] == [("1", (0,))]


DECLARED = '<?xml version="1.0" encoding="UTF-16"?>\n'
TRACE = "<ink><trace>1 2, 3 4</trace></ink>"


@pytest.mark.parametrize("text", [TRACE, DECLARED + TRACE, "\r\n\t " + TRACE])
@pytest.mark.parametrize(
    ("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
)
def test_utf_16_is_recognised_and_read(text: str, mark: bytes, encoding: str) -> None:
    content = mark + text.encode(encoding)
    assert looks_like_inkml(content)
    assert read_inkml(content).ink.points.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b" \n", b"\xef\xbb\xbf\n"])
def test_xml_of_bytes_is_recognised(start: bytes) -> None:
    assert looks_like_inkml(start + TRACE.encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"\xfe\xff<\0",  # the bytes are swapped
        b"\xff\xfe\0\0<\0\0\0",  # UTF-32, which no XML parser here reads
        b"\xff\xfe" + "[[1, 2]]".encode("utf-16-le"),
        b"\xff\xd8\xff\xe0",  # JPEG
        b"\x89PNG\r\n",
        b"\0\0\0<ftypheic",  # HEIC whose first box has 60 bytes
        b'{"strokes": []}',
    ],
)
def test_other_content_is_not_taken_for_inkml(content: bytes) -> None:
    assert not looks_like_inkml(content)


LONG = b"a" * 10_000


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"x = 1", "not InkML: it does not begin as XML"),
        (b"\x89PNG\r\n", "not InkML: it does not begin as XML"),
        (FULL[:-20], "not well-formed XML"),
        (b"<ink>\xb7</ink>", "not well-formed XML"),
        (b"<svg/>", "outermost element is <svg>"),
        (b'<?xml version="1.0" encoding="klingon"?><ink/>', "unknown encoding"),
        (inkml(""), "no trace has any points"),
        (inkml("<trace>1 2, 3 four</trace>"), "stroke 1: not a point of 2 numbers: '3 four'"),
        (inkml("<trace>1 2</trace><trace>3</trace>"), "stroke 2: not a point of 2 numbers: '3'"),
        (inkml("<trace>1 2 3, 4 5 6 7, 8 9</trace>"), "not a point of 3 numbers: '4 5 6 7'"),
        (inkml("<trace>1</trace>"), "not a point of 2 numbers: '1'"),
        (inkml("<trace>1 2,,3 4</trace>"), "not a point of 2 numbers: ''"),
        (inkml("<trace>nan 2</trace>"), "not a number within"),
        (inkml("<trace>1e999 2</trace>"), "not a number within"),
        (inkml("<trace>1e9 2</trace>"), "not a number within"),
        (inkml('<trace id="a">1 1</trace><trace id="a">2 2</trace>'), "two traces have the id 'a'"),
        (b'<?xml version="1.0" encoding="%s"?><ink/>' % LONG, "unknown encoding"),
        (b"<%s/>" % LONG, "outermost element"),
        (inkml("<trace>0 0\n0 50\n</trace>"), "stroke 1: line ends part its points"),
        (inkml("<trace>1 2, 3 4</trace><trace>1 2 9\r\n3 4 8</trace>"), "stroke 2: line ends"),
        (b"<ink>" + b'<trace id="%s">1 1</trace>' % LONG * 2 + b"</ink>", "two traces"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_that_names_it(content: bytes, reason: str) -> None:
    with pytest.raises(InkError) as caught:
        read_inkml(content, name="bad.inkml")
    assert str(caught.value).startswith("bad.inkml: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160  # no stranger is quoted at length


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "one.inkml").write_bytes(FULL)
    assert read_inkml(tmp_path / "one.inkml").name == "one"
    assert read_inkml(str(tmp_path / "one.inkml")).truth == "x^2"
    with pytest.raises(InkError, match=r"none\.inkml: no such file"):
        read_inkml(tmp_path / "none.inkml")
    with pytest.raises(InkError, match="is a directory"):
        read_inkml(tmp_path)


BOMB = (
    b'<!DOCTYPE ink [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 50) for i in range(9))
    + b"]><ink><trace>&j;</trace></ink>"
)
EXTERNAL = (
    b'<!DOCTYPE ink [<!ENTITY x SYSTEM "file:///etc/hostname">]><ink><trace>&x;</trace></ink>'
)
REMOTE = b'<!DOCTYPE ink SYSTEM "http://127.0.0.1:9/x.dtd"><ink><trace>1 1</trace></ink>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (BOMB, "refused"),
        (EXTERNAL, "refused"),
        (REMOTE, "refused"),
        (inkml("<trace>" + "1 1," * 400_000 + "</trace>"), "more than 50,000 points"),
        (inkml("<trace>1 1</trace>" * 3_000), "more than 2,000 strokes"),
        (
            inkml(f"<annotationXML><math>{'<a>' * 9999}{'</a>' * 9999}</math></annotationXML>"
                  "<trace>1 1</trace>"),
            "nested too deeply",
        ),
    ],
    ids=["bomb", "external", "remote", "points", "strokes", "deep"],
)  # fmt: skip
def test_hostile_files_are_refused_quickly(content: bytes, reason: str) -> None:
    def refused() -> None:
        with pytest.raises(InkError, match=reason):
            read_inkml(content)

    assert calls_of(refused) < 2000 + 20 * content.count(b"<")


@pytest.mark.slow
def test_files_that_say_the_same_again_and_again_look_at_points_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    symbol = '<traceGroup><annotation>-</annotation><traceView traceDataRef="a"/></traceGroup>'
    trace = f'<trace id="a">{"1 1," * 49_999}9 2</trace>'
    looked_at = 0

    def counted(strokes: Iterable[Points]) -> Box:
        nonlocal looked_at
        looked_at += 1
        return box_of(strokes)

    monkeypatch.setattr(strokes_module, "box_of", counted)
    sheet = read_inkml(inkml(trace + symbol * 18_000))
    assert looked_at < 10
    assert {(glyph.strokes, glyph.box) for glyph in sheet.glyphs} == {((0,), Box(1, 1, 9, 2))}


def test_a_million_dollars_are_read_quickly() -> None:
    truth = f'<annotation type="truth">{"$" * 1_000_000}</annotation>'
    content = inkml(truth + "<trace>1 1</trace>")
    assert read_inkml(content).truth == "$" * 999_996
    assert calls_of(lambda: read_inkml(content)) < 1000  # pair by pair it would be half a million


def test_a_hundred_megabytes_of_points_are_refused_quickly() -> None:
    content = b"<ink><trace>" + b"1 1," * 25_000_000 + b"</trace></ink>"

    def refused() -> None:
        with pytest.raises(InkError, match="larger than 2,000,000 bytes"):
            read_inkml(content)

    assert calls_of(refused) < 2000


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "vast.inkml").open("wb") as file:
        file.truncate(10**12)  # a sparse terabyte
    with pytest.raises(InkError, match="larger than"):
        read_inkml(tmp_path / "vast.inkml")


def test_limits_are_the_callers_to_set() -> None:
    two = inkml("<trace>1 1, 2 2</trace><trace>3 3</trace>")
    assert len(read_inkml(two, InkLimits(strokes=2, points=3)).ink.strokes) == 2
    with pytest.raises(InkError, match="more than 1 strokes"):
        read_inkml(two, InkLimits(strokes=1))
    with pytest.raises(InkError, match="more than 2 points"):
        read_inkml(two, InkLimits(points=2))


def test_what_is_written_reads_back() -> None:
    sheet = fraction()
    back = read_inkml(write_inkml(sheet))
    assert back.truth == sheet.truth
    assert back.glyphs == sheet.glyphs
    assert [s.tolist() for s in back.ink.strokes] == [s.tolist() for s in sheet.ink.strokes]


coordinate = st.floats(-1e7, 1e7, width=32)
strokes = st.lists(st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=5), min_size=1)


@given(strokes, st.text(st.characters(exclude_categories=["C", "Z"])))
@pytest.mark.slow
def test_any_ink_and_any_text_survive_a_file(strokes: list, text: str) -> None:
    ink = Ink.of(strokes)
    back = read_inkml(write_inkml(Sheet(ink, writer=text or None)))
    assert back.writer == (text or None)
    assert [s.tolist() for s in back.ink.strokes] == [s.tolist() for s in ink.strokes]
