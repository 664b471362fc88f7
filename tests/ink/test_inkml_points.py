"""Points in every encoding of the recommendation; what cannot be read is one line."""

import pytest

from san.ink import InkError, read_inkml
from tests.ink.files import inkml, points, refused_in_one_line, trace_format
from tests.work import calls_of


def intermittent(*names: str) -> str:
    channels = "".join(f'<channel name="{name}" type="boolean"/>' for name in names)
    return f"<intermittentChannels>{channels}</intermittentChannels>"


BUTTONS = trace_format("X", "Y", more=intermittent("S1", "S2"))


def test_the_example_of_the_recommendation() -> None:
    text = """1125 18432,'23'43,"7"-8,3-5,7 -3,6 2,6 8,3 6 T,2 4*T,3 6,3-6 F F"""
    xs = [1125, 1148, 1178, 1211, 1251, 1297, 1349, 1404, 1461, 1521, 1584]
    ys = [18432, 18475, 18510, 18540, 18567, 18596, 18633, 18676, 18723, 18776, 18823]
    expected = [[x, y] for x, y in zip(xs, ys, strict=True)]
    assert points(f"{BUTTONS}<trace>{text}</trace>") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2,'3'4,5 6", [[1, 2], [4, 6], [9, 12]]),  # a mark holds until the next
        ("1 2,'3 4,1 5", [[1, 2], [4, 4], [5, 5]]),  # for its own channel
        ("1 2,'3'4,!5!6,7 8", [[1, 2], [4, 6], [5, 6], [7, 8]]),
        ("""1 2,'1'1,"1"0,0 0,'0'0""", [[1, 2], [2, 3], [4, 4], [6, 5], [6, 5]]),
        ("!1 !2, ' 3 ' - 4", [[1, 2], [4, -2]]),  # blanks may stand anywhere
        ("10-20,.5-.5,1e1-2E-1", [[10, -20], [0.5, -0.5], [10, pytest.approx(-0.2)]]),
        ("#1A #ff,-#10 0", [[26, 255], [-16, 0]]),
        ("1 2,'#A'-#A", [[1, 2], [11, -8]]),
        ("1 2,* 3,4 *", [[1, 2], [1, 3], [4, 3]]),
        ("1 2,'1'2,**", [[1, 2], [2, 4], [3, 6]]),  # goes on as fast
        ("""1 2,'1'2,"1"1,**""", [[1, 2], [2, 4], [4, 7], [7, 11]]),  # and gains as much
    ],
)
def test_encodings_of_x_and_y(text: str, expected: list) -> None:
    escaped = text.replace('"', "&quot;")
    assert points(f"<trace>{escaped}</trace>") == [expected]


def test_each_trace_begins_anew() -> None:
    assert points("<trace>1 2,'3'4</trace><trace>5 6,7 8</trace>") == [
        [[1, 2], [4, 6]],
        [[5, 6], [7, 8]],
    ]


def test_other_channels_are_skipped_in_any_encoding() -> None:
    channels = trace_format("B", "X", "F", "Y")
    text = """T 1 #1F 2, F 3 ? 4, * 5 "9 6, T 7 * 8"""
    assert points(f"{channels}<trace>{text}</trace>") == [[[1, 2], [3, 4], [5, 6], [7, 8]]]


@pytest.mark.parametrize(
    "text", ["1 2, 3 4", "1 2 T, 3 4", "1 2, 3 4 T F", "1 2 5 6, 3 4 7", "1 2 *T, 3 4 ?"]
)
def test_intermittent_channels_follow_or_not(text: str) -> None:
    assert points(f"{BUTTONS}<trace>{text}</trace>") == [[[1, 2], [3, 4]]]


def test_intermittent_channels_come_last_wherever_they_are_declared() -> None:
    early = f'<traceFormat>{intermittent("S")}<channel name="Y"/><channel name="X"/></traceFormat>'
    assert points(f"{early}<trace>1 2, 3 4 T</trace>") == [[[2, 1], [4, 3]]]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<trace>'1'2</trace>", "stroke 1: a difference (' or \") without a value before it"),
        ("<trace>1 2</trace><trace>'1 2</trace>", "stroke 2: a difference (' or \")"),
        ("<trace>1 2,&quot;1 2</trace>", "a second difference (\") without a first (') before it"),
        ("<trace>1 2,'1 2,!1 2,&quot;1 2</trace>", "a second difference"),
        ("<trace>* 2</trace>", "a wildcard (*) without a value before it: '* 2'"),
        ("<trace>1 2,? 3</trace>", "x or y is unknown (?), not a number: '? 3'"),
        ("<trace>1 T</trace>", "x or y is a boolean (T, F), not a number: '1 T'"),
        ("<trace>1 2,'1</trace>", "stroke 1: not a point of 2 numbers"),
        ("<trace>1 2,' '</trace>", "not a point of 2 numbers"),
        ("<trace>1 2,0x1A 3</trace>", "not a point of 2 numbers: '0x1A 3'"),
        ("<trace>1 2,#1G 3</trace>", "not a point of 2 numbers: '#1G 3'"),
        (f"{BUTTONS}<trace>1 2,3</trace>", "not a point of 2 to 4 numbers: '3'"),
        (f"{BUTTONS}<trace>1 2,3 4 T F T</trace>", "not a point of 2 to 4 numbers: '3 4 T F T'"),
        (f"<trace>1 2,#{'F' * 9999} 3</trace>", "not a number within"),
        ("<trace>1 2,'1e999 3</trace>", "not a number within"),
        ("<trace>1 2,'1e999 3,-1e999 3</trace>", "not a number within"),
        ("<trace>1 2,'9e6 3,9e6 3</trace>", "not a number within"),
    ],
)
def test_what_cannot_be_read_is_one_line(body: str, reason: str) -> None:
    refused_in_one_line(body, reason)


def test_the_stroke_of_a_fault_is_counted_over_all_formats() -> None:
    contexts = (
        f'<context id="a">{BUTTONS}</context><context id="b">{trace_format("Y", "X")}</context>'
    )
    body = '<trace contextRef="#a">1 2</trace><trace contextRef="#b">3 four</trace>'
    with pytest.raises(InkError, match="stroke 2: not a point of 2 numbers: '3 four'"):
        read_inkml(inkml(f"<definitions>{contexts}</definitions>{body}"))


@pytest.mark.parametrize(
    "text",
    [
        "1 2," + " " * 1_000_000 + "' " + " " * 900_000 + "x",
        "1 2,3 " + "'" * 1_900_000,
        "1 2,3 " + "9" * 1_900_000 + "e",
        "1 2,#" + "F" * 1_900_000,
        "1 2," + "T" * 200_000,
        "1 2,'" + "1-" * 100_000,
    ],
    ids=["blanks", "marks", "digits", "hex", "booleans", "numbers"],
)
def test_hostile_points_are_refused_with_little_work(text: str) -> None:
    content = inkml(f"<trace>{text}</trace>")

    def refused() -> None:
        with pytest.raises(InkError):
            read_inkml(content)

    assert calls_of(refused) < 2000 + 3 * len(text)


def test_the_most_points_that_a_file_may_hold_are_decoded() -> None:
    text = "0 0,'1'0" + ",0 0" * 49_998
    (stroke,) = points(f"<trace>{text}</trace>")
    assert len(stroke) == 50_000
    assert stroke[-1] == [1, 0]
