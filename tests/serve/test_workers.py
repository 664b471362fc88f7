"""The pool, with a reader whose work is counted: order, isolation, limits, stopping."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from san.errors import SanError
from san.reader.cancellable import KeepFirstReading
from san.serve import workers as module
from san.serve.problems import Problem
from san.serve.settings import Settings
from san.serve.workers import WorkerPool


class Reader:
    """Reads what it is told; `begin` lets it."""

    def __init__(self) -> None:
        self.begin = threading.Event()
        self.begin.set()
        self.batches: list[list[str]] = []
        self.opened: list[str] = []
        self.stuck = threading.Event()
        self.steps = {"long": 10_000, "endless": 10**9, "doubtful": 10**9}

    def open(self, source: str, check: Callable[[], None]) -> Any:
        self.begin.wait(10)
        self.opened.append(source)
        for _ in range(self.steps.get(source.removesuffix(" file"), 0) * source.endswith(" file")):
            check()
        if source == "stuck":
            self.stuck.wait(10)
        if source == "bad":
            raise SanError("no ink found")
        if source == "no picture":
            return SimpleNamespace(text=source)
        side = 600 if source == "large" else 10
        return SimpleNamespace(text=source, picture=np.zeros((side, side), np.uint8))

    def with_beam(self, beam: int, n_best: int) -> "Reader":
        return self

    def read_prepared(self, images: Sequence[Any], check: Callable[[], None]) -> list[str]:
        self.batches.append([prepared.text for prepared in images])
        for prepared in images:
            if prepared.text == "bug":
                raise RuntimeError("a bug")
            if prepared.text == "end of nothing":
                raise StopIteration
            try:
                for _ in range(self.steps.get(prepared.text, 1)):
                    check()
            except KeepFirstReading:
                if prepared.text != "doubtful":  # which has been read once, and is looked at again
                    raise
        return [prepared.text for prepared in images]


def run(
    main: Callable[[WorkerPool, Reader], Coroutine[Any, Any, None]], **settings: Any
) -> list[list[str]]:
    """The batches that were read."""
    reader = Reader()

    async def day() -> None:
        chosen = Settings(**{"threads": 1, "max_cpu_seconds": 0.2, **settings})
        pool = WorkerPool(reader, chosen)  # type: ignore[arg-type]
        pool.open()
        try:
            await main(pool, reader)
        finally:
            reader.begin.set()
            await pool.close()

    # In a thread of its own: a browser that tests have opened keeps a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, day()).result()
    return reader.batches


def ask(pool: WorkerPool, text: str) -> "asyncio.Future[bytes]":
    tell: Any = lambda read: f"<{read}>".encode()  # noqa: E731
    return pool.submit(partial(str, text), tell).response


async def busy(pool: WorkerPool, reader: Reader) -> "asyncio.Future[bytes]":
    """The only reader is at work, and waits to be let on."""
    reader.begin.clear()
    first = ask(pool, "first")
    while pool.queue_length:
        await asyncio.sleep(0.001)
    return first


def test_batches_form_while_the_reader_is_busy() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        first = await busy(pool, reader)
        others = [ask(pool, str(number)) for number in range(6)]
        reader.begin.set()
        assert await first == b"<first>"
        # Each gets its own answer, whatever company it was read in.
        assert await asyncio.gather(*others) == [f"<{n}>".encode() for n in range(6)]

    assert run(main) == [["first"], ["0", "1", "2", "3"], ["4", "5"]]


def test_what_is_wrong_with_one_is_its_own() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        await busy(pool, reader)
        jobs = [ask(pool, text) for text in ("a", "bad", "bug", "b")]
        reader.begin.set()
        done = await asyncio.gather(*jobs, return_exceptions=True)
        assert (done[0], done[3]) == (b"<a>", b"<b>")
        assert isinstance(done[1], SanError)
        assert isinstance(done[2], RuntimeError)

    # A batch with a bug in it is taken apart.
    assert run(main)[1:] == [["a", "bug", "b"], ["a"], ["bug"], ["b"]]


def test_a_fault_of_ours_before_reading_costs_no_worker() -> None:
    """The only one goes on with what comes next."""

    async def main(pool: WorkerPool, reader: Reader) -> None:
        with pytest.raises(AttributeError):
            await ask(pool, "no picture")
        assert await asyncio.wait_for(ask(pool, "x"), 10) == b"<x>"

    assert run(main) == [["x"]]


def test_a_fault_that_no_future_takes_is_answered_at_once() -> None:
    """Without an answer the request would wait until its time is over."""

    async def main(pool: WorkerPool, reader: Reader) -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(ask(pool, "end of nothing"), 5)
        assert await asyncio.wait_for(ask(pool, "x"), 5) == b"<x>"

    assert run(main) == [["end of nothing"], ["x"]]


def test_a_full_line_says_when_to_come_again() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        await busy(pool, reader)
        jobs = [ask(pool, "x"), ask(pool, "y")]
        with pytest.raises(Problem) as refused:
            ask(pool, "z")
        assert refused.value.status_code == 503
        assert int((refused.value.headers or {})["Retry-After"]) >= 1
        reader.begin.set()
        assert await asyncio.gather(*jobs) == [b"<x>", b"<y>"]

    run(main, max_queue=2)


def test_who_has_left_is_not_read() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        await busy(pool, reader)
        tell: Any = str.encode
        job = pool.submit(partial(str, "gone"), tell)
        stays = ask(pool, "stays")
        pool.cancel(job)
        assert pool.queue_length == 1
        reader.begin.set()
        assert await stays == b"<stays>"

    assert run(main) == [["first"], ["stays"]]


def test_who_leaves_while_being_read_is_read_no_further() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        tell: Any = str.encode
        job = pool.submit(partial(str, "endless"), tell)
        while not reader.batches:
            await asyncio.sleep(0.001)
        pool.cancel(job)
        assert await ask(pool, "next") == b"<next>"

    run(main, max_cpu_seconds=1000)  # without an end it would take all of that


def test_a_large_picture_lets_the_quick_pass() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        await busy(pool, reader)
        jobs = [ask(pool, text) for text in ("large", "a", "b")]
        reader.begin.set()
        assert await asyncio.gather(*jobs) == [b"<large>", b"<a>", b"<b>"]

    batches = run(main)
    assert batches[0] == ["first"]
    assert sorted(batches[1:]) == [["a", "b"], ["large"]]


def test_a_slow_one_does_not_hold_up_the_quick_of_the_only_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "price_of", lambda source, limits: 10**9 * (source == "stuck"))

    async def main(pool: WorkerPool, reader: Reader) -> None:
        slow = ask(pool, "stuck")
        assert await asyncio.wait_for(ask(pool, "a"), 5) == b"<a>"
        assert not slow.done()
        reader.stuck.set()
        assert await slow == b"<stuck>"

    run(main)


def test_a_crowd_of_slow_ones_is_refused_and_not_the_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "price_of", lambda source, limits: 10**9 * (source == "stuck"))

    async def main(pool: WorkerPool, reader: Reader) -> None:
        slow = []
        for _ in range(7):  # one is read, two wait
            slow.append(ask(pool, "stuck"))
            async with asyncio.timeout(10):
                while not reader.opened or pool.queue_length > 2:
                    await asyncio.sleep(0.001)
        assert await asyncio.wait_for(ask(pool, "a"), 5) == b"<a>"
        reader.stuck.set()
        done = await asyncio.gather(*slow, return_exceptions=True)
        assert done[:3] == [b"<stuck>"] * 3
        for refused in done[3:]:
            assert isinstance(refused, Problem)
            assert refused.status_code == 503
            assert int((refused.headers or {})["Retry-After"]) >= 1

    run(main, max_queue=4)


def test_a_huge_image_is_not_even_opened_among_the_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    prices = {"huge": 20_000_000}  # of what is too large by far, none is known
    monkeypatch.setattr(module, "price_of", lambda source, limits: prices.get(source, 0))

    async def main(pool: WorkerPool, reader: Reader) -> None:
        await busy(pool, reader)
        jobs = [ask(pool, text) for text in ("huge", "a", "bad", "huge", "b")]
        reader.begin.set()
        done = await asyncio.gather(*jobs, return_exceptions=True)
        assert done[:2] == [b"<huge>", b"<a>"]
        assert isinstance(done[2], SanError)  # larger than any may be: refused at once

    batches = run(main)
    assert batches[0] == ["first"]
    assert sorted(batches[1:]) == [["a"], ["b"], ["huge"], ["huge"]]


@pytest.mark.slow
def test_a_long_reading_goes_on_alone_and_an_endless_one_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.0005)

    async def main(pool: WorkerPool, reader: Reader) -> None:
        await busy(pool, reader)
        jobs = [ask(pool, text) for text in ("a", "long", "doubtful", "endless")]
        reader.begin.set()
        done = await asyncio.gather(*jobs, return_exceptions=True)
        assert done[:3] == [b"<a>", b"<long>", b"<doubtful>"]
        assert isinstance(done[3], SanError)
        assert "too much" in str(done[3])

    batches = run(main)
    for slow in ("doubtful", "endless"):
        assert batches.count([slow]) == 2  # once among the quick, once as a slow one


@pytest.mark.slow
def test_opening_stands_under_the_same_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.0005)
    opened = []

    async def main(pool: WorkerPool, reader: Reader) -> None:
        opened.append(reader.opened)
        await busy(pool, reader)
        jobs = [ask(pool, text) for text in ("a", "long file", "endless file")]
        reader.begin.set()
        done = await asyncio.gather(*jobs, return_exceptions=True)
        assert done[:2] == [b"<a>", b"<long file>"]
        assert "too much" in str(done[2])

    batches = run(main)
    assert batches.count(["long file"]) == 1
    assert ["endless file"] not in batches
    # Once among the quick, and once as a slow one.
    assert opened[0].count("long file") == opened[0].count("endless file") == 2


def test_who_leaves_while_it_is_opened_is_opened_no_further() -> None:
    async def main(pool: WorkerPool, reader: Reader) -> None:
        tell: Any = str.encode
        job = pool.submit(partial(str, "endless file"), tell)
        while not reader.opened:
            await asyncio.sleep(0.001)
        pool.cancel(job)
        assert await ask(pool, "next") == b"<next>"

    assert run(main, max_cpu_seconds=1000) == [["next"]]


def test_closing_leaves_behind_what_nobody_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_SECONDS", 0.05)

    async def main(pool: WorkerPool, reader: Reader) -> None:
        tell: Any = str.encode
        job = pool.submit(partial(str, "stuck"), tell)
        while not reader.opened:
            await asyncio.sleep(0.001)
        pool.cancel(job)
        await asyncio.wait_for(pool.close(), 5)  # though a decoder does not end
        reader.stuck.set()

    run(main)


def test_closing_finishes_what_was_taken() -> None:
    answers: list[asyncio.Future[bytes]] = []

    async def main(pool: WorkerPool, reader: Reader) -> None:
        answers.append(await busy(pool, reader))
        answers.extend(ask(pool, str(number)) for number in range(3))
        closing = asyncio.create_task(pool.close())
        await asyncio.sleep(0)
        with pytest.raises(Problem):
            ask(pool, "late")
        reader.begin.set()
        await closing
        await asyncio.sleep(0)

    run(main)
    assert [answer.result() for answer in answers] == [b"<first>", b"<0>", b"<1>", b"<2>"]
