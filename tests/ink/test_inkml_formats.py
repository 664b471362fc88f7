"""Trace formats: the context that a trace names tells which of its values are x and y."""

import contextlib

import numpy as np
import pytest

from san.ink import InkError, draw, read_inkml
from tests.ink.files import inkml, points, refused_in_one_line, trace_format
from tests.work import calls_of

XY = trace_format("X", "Y", key="xy")
TXY = trace_format("T", "X", "Y", key="txy")


def context(key: str, inside: str = "", **references: str) -> str:
    named = "".join(f' {name}="{value}"' for name, value in references.items())
    return f'<context xml:id="{key}"{named}>{inside}</context>'


def definitions(*parts: str) -> str:
    return f"<definitions>{''.join(parts)}</definitions>"


BOTH = context("c1", XY) + context("c2", TXY)
SECOND = '<trace contextRef="#c2">9 1 2, 8 3 4</trace>'
READ = [[[1, 2], [3, 4]]]


def test_channels_may_come_in_another_order() -> None:
    assert points(trace_format("T", "Y", "X") + "<trace>0 1 2</trace>") == [[[2, 1]]]
    assert points(trace_format("t", "y", "x") + "<trace>0 1 2</trace>") == [[[2, 1]]]


def test_old_files_put_regular_channels_in_an_element() -> None:
    names = '<regularChannels><channel name="Y"/><channel name="X"/></regularChannels>'
    assert points(f"<traceFormat>{names}</traceFormat><trace>1 2</trace>") == [[[2, 1]]]


@pytest.mark.parametrize(
    "defined",
    [
        BOTH,
        definitions(BOTH),
        definitions(context("c2", TXY), context("c1", XY)),
        definitions(XY, TXY, context("c2", traceFormatRef="#txy")),
        definitions(XY, TXY, context("c2", XY, traceFormatRef="txy")),
        definitions(XY, context("c2", f'<inkSource xml:id="s">{TXY}</inkSource>')),
        definitions(
            XY, f'<inkSource xml:id="s">{TXY}</inkSource>', context("c2", inkSourceRef="#s")
        ),
        definitions(XY, context("c2", contextRef="#c3"), context("c3", TXY)),
    ],
)
def test_a_trace_follows_the_context_that_it_names(defined: str) -> None:
    assert points(defined + SECOND) == READ
    assert points(defined + SECOND.replace("#c2", "c2")) == READ


def test_traces_of_one_file_may_differ() -> None:
    body = '<trace contextRef="#c1">5 6</trace>' + SECOND + '<trace contextRef="#c1">7 8</trace>'
    assert points(definitions(BOTH) + body) == [[[5, 6]], *READ, [[7, 8]]]


def test_a_group_names_the_context_of_its_traces() -> None:
    inner = (
        '<traceGroup><trace>9 1 2, 8 3 4</trace></traceGroup><trace contextRef="#c1">5 6</trace>'
    )
    body = f'<traceGroup contextRef="#c2">{inner}</traceGroup><trace>7 8</trace>'
    assert points(definitions(BOTH) + body) == [*READ, [[5, 6]], [[7, 8]]]


def test_without_a_name_the_context_before_a_trace_holds_and_else_the_first() -> None:
    assert points(definitions(BOTH) + "<trace>1 2</trace>") == [[[1, 2]]]
    assert points(definitions(context("c", TXY)) + "<trace>9 1 2, 8 3 4</trace>") == READ
    streamed = f"{context('c1', XY)}<trace>5 6</trace>{context('c2', TXY)}<trace>9 1 2</trace>"
    assert points(streamed + context("c3") + "<trace>8 3 4</trace>") == [
        [[5, 6]],
        [[1, 2]],
        [[3, 4]],
    ]


def test_a_context_without_a_format_leaves_it_as_it_is() -> None:
    assert points(TXY + definitions(context("c2", brushRef="#b")) + SECOND) == READ


def test_the_defaults_of_the_recommendation_need_no_definition() -> None:
    assert points(TXY + '<trace contextRef="#DefaultContext">1 2</trace>') == [[[1, 2]]]
    plain = context("c", traceFormatRef="#DefaultTraceFormat")
    assert points(definitions(TXY, plain) + '<trace contextRef="#c">1 2</trace>') == [[[1, 2]]]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<trace contextRef="#no">1 2</trace>', "the context '#no' is referred to, but not there"),
        ('<traceGroup contextRef="#no"><trace>1 2</trace></traceGroup>', "the context '#no'"),
        (XY + '<trace contextRef="#xy">1 2</trace>', "the context '#xy'"),
        (f'<trace contextRef="#{"c" * 9999}">1 2</trace>', "is referred to, but not there"),
        (context("c2", traceFormatRef="#no") + SECOND, "the trace format '#no'"),
        (context("c2", inkSourceRef="#no") + SECOND, "the ink source '#no'"),
        (context("c2", contextRef="#no") + SECOND, "the context '#no'"),
        (context("c2", contextRef="#c2") + SECOND, "in a circle"),
        (context("c2", contextRef="#a") + context("a", contextRef="#c2") + SECOND, "in a circle"),
    ],
)
def test_what_is_named_but_not_there_is_one_line(body: str, reason: str) -> None:
    refused_in_one_line(body, reason)


def test_a_trace_without_ink_may_name_anything() -> None:
    assert points('<trace contextRef="#no" type="penUp">5 5</trace><trace>1 2</trace>') == [
        [[1, 2]]
    ]


def test_orientation_turns_the_ink() -> None:
    trace = "<trace>0 1, 5 20</trace>"
    assert points(trace_format("X", "Y") + trace) == [[[0, 1], [5, 20]]]
    assert points(trace_format("X", "Y-") + trace) == [[[0, -1], [5, -20]]]
    assert points(trace_format("X-", "Y") + trace) == [[[0, 1], [-5, 20]]]
    assert points(trace_format("Y-", "X-") + trace) == [[[-1, 0], [-20, -5]]]
    assert points(trace_format("X", "Y-") + "<trace>1 2,'1'2</trace>") == [[[1, -2], [2, -4]]]


def test_turned_ink_is_drawn_upright() -> None:
    down, up = "<trace>0 0, 50 100</trace>", "<trace>0 0, 50 -100</trace>"
    upright = draw(read_inkml(inkml(down)).ink)
    turned = draw(read_inkml(inkml(trace_format("X", "Y-") + up)).ink)
    assert np.array_equal(upright, turned)


def many(*parts: str) -> bytes:
    return inkml("".join(parts))


TRACES = "".join(f'<trace contextRef="#c{i}">1 2</trace>' for i in range(2_000))


@pytest.mark.parametrize(
    "content",
    [
        many(
            f"<inkSource id='s'>{'<channel/>' * 20_000}</inkSource>",
            *(context(f"c{i}", inkSourceRef="#s") for i in range(2_000)),
            TRACES,
        ),
        many(
            f"<traceFormat id='f'>{'<channel/>' * 20_000}</traceFormat>",
            *(context(f"c{i}", traceFormatRef="#f") for i in range(2_000)),
            TRACES,
        ),
        many(
            context("c0", XY),
            *(context(f"c{i}", contextRef=f"#c{i - 1}") for i in range(1, 9_000)),
            TRACES,
        ),
        many("<traceGroup>" * 9_000, TRACES.replace("c", "C"), "</traceGroup>" * 9_000),
        many(XY * 2, "<traceGroup>" * 9_000, "<trace>1 2</trace>" * 2_000, "</traceGroup>" * 9_000),
        many(*(f'<context id="c{i}"><traceFormat>' for i in range(2_000)),
             "</traceFormat></context>" * 2_000, TRACES),
    ],
    ids=["source", "format", "chain", "missing", "groups", "nested"],
)  # fmt: skip
def test_hostile_contexts_take_little_work(content: bytes) -> None:
    def tried() -> None:
        with contextlib.suppress(InkError):
            read_inkml(content)

    assert calls_of(tried) < 2000 + 40 * content.count(b"<")
