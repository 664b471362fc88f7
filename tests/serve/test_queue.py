"""The line: bounded, in order, in batches, and fair between quick and slow."""

import asyncio
import threading
from typing import Any

import pytest

from san.serve.queue import FullError, Job, Line


def job(beam: int = 1, slow: bool = False, alone: bool = False) -> Job:
    nothing: Any = None
    future: asyncio.Future[bytes] = asyncio.Future(loop=asyncio.new_event_loop())
    future.get_loop().close()
    made = Job(nothing, beam, 1, nothing, future)
    made.slow, made.alone = slow, alone
    return made


def test_first_come_first_served_in_shares() -> None:
    line = Line(most=10, readers=2, batch=4)
    jobs = [job() for _ in range(7)]
    for one in jobs:
        line.join(one)
    assert line.take() == jobs[:4]  # half of seven, rounded up
    assert line.take() == jobs[4:6]
    assert line.take() == jobs[6:]
    assert len(line) == 0


def test_one_more_than_may_wait() -> None:
    line = Line(most=2, readers=1, batch=4)
    line.join(job())
    line.join(job())
    with pytest.raises(FullError):
        line.join(job())
    line.take()
    line.join(job())


def test_only_equals_go_together() -> None:
    line = Line(most=10, readers=1, batch=4)
    narrow, wide, other, hermit = job(1), job(3), job(3), job(3, alone=True)
    for one in (narrow, wide, other, hermit):
        line.join(one)
    assert [line.take() for _ in range(3)] == [[narrow], [wide, other], [hermit]]


def test_slow_ones_leave_a_reader_to_the_quick() -> None:
    line = Line(most=10, readers=2, batch=4)
    slow = [job(slow=True) for _ in range(2)]
    for one in slow:
        line.rejoin(one)
    quick = job()
    line.join(quick)
    assert line.take() == slow[:1]
    assert line.take() == [quick]  # though a slow one came before it
    line.done()
    assert line.take() == slow[1:]


def test_who_leaves_is_not_read() -> None:
    line = Line(most=10, readers=1, batch=4)
    gone, stays = job(), job()
    line.join(gone)
    line.join(stays)
    line.leave(gone)
    line.leave(gone)  # nobody: no harm
    assert line.take() == [stays]


def test_closing_lets_those_who_wait_through() -> None:
    line = Line(most=10, readers=1, batch=1)
    last = job()
    line.join(last)
    line.close()
    assert line.take() == [last]
    assert line.take() == []


def test_a_reader_that_waits_is_woken() -> None:
    line = Line(most=10, readers=1, batch=1)
    taken: list[list[Job]] = []
    reader = threading.Thread(target=lambda: taken.append(line.take()))
    reader.start()
    one = job()
    line.join(one)
    reader.join(5)
    assert taken == [[one]]
