"""The queue: bounded, in order, in batches, and fair between quick and slow."""

import asyncio
import threading
from typing import Any

import pytest

from san.serve.queue import Job, Lane, QueueFullError, RequestQueue


def job(beam: int = 1, slow: bool = False, alone: bool = False) -> Job:
    nothing: Any = None
    future: asyncio.Future[bytes] = asyncio.Future(loop=asyncio.new_event_loop())
    future.get_loop().close()
    made = Job(nothing, beam, 1, nothing, future)
    made.slow, made.alone = slow, alone
    return made


def test_first_come_first_served_in_shares() -> None:
    queue = RequestQueue(max_length=10, workers=2, max_batch=4)
    jobs = [job() for _ in range(7)]
    for one in jobs:
        queue.put(one)
    assert queue.get() == jobs[:4]  # half of seven, rounded up
    assert queue.get() == jobs[4:6]
    assert queue.get() == jobs[6:]
    assert len(queue) == 0


def test_one_more_than_may_wait() -> None:
    queue = RequestQueue(max_length=2, workers=1, max_batch=4)
    queue.put(job())
    queue.put(job())
    with pytest.raises(QueueFullError):
        queue.put(job())
    queue.get()
    queue.put(job())


def test_only_equals_go_together() -> None:
    queue = RequestQueue(max_length=10, workers=1, max_batch=4)
    narrow, wide, other, hermit = job(1), job(3), job(3), job(3, alone=True)
    for one in (narrow, wide, other, hermit):
        queue.put(one)
    assert [queue.get() for _ in range(3)] == [[narrow], [wide, other], [hermit]]


def test_slow_ones_leave_a_reader_to_the_quick() -> None:
    queue = RequestQueue(max_length=10, workers=2, max_batch=4)
    slow = [job(slow=True) for _ in range(2)]
    for one in slow:
        queue.put_back(one)
    quick = job()
    queue.put(quick)
    assert queue.get() == slow[:1]
    assert queue.get() == [quick]  # though a slow one came before it
    queue.slow_done()
    assert queue.get() == slow[1:]


def test_slow_ones_leave_room_to_the_quick() -> None:
    queue = RequestQueue(max_length=5, workers=2, max_batch=4)
    for _ in range(2):
        queue.put_back(job(slow=True))
    with pytest.raises(QueueFullError):
        queue.put_back(job(slow=True))
    for _ in range(3):
        queue.put(job())
    with pytest.raises(QueueFullError):
        queue.put(job())


def test_a_worker_with_a_lane_takes_nothing_else_until_the_end() -> None:
    queue = RequestQueue(max_length=10, workers=1, max_batch=4)
    slow, quick = job(slow=True), job()
    queue.put_back(slow)
    queue.put(quick)
    assert queue.get(Lane.QUICK) == [quick]
    assert queue.get(Lane.SLOW) == [slow]
    queue.slow_done()
    queue.put(quick)
    queue.close()
    assert queue.get(Lane.SLOW) == [quick]
    assert queue.get(Lane.QUICK) == queue.get(Lane.SLOW) == []


def test_who_leaves_is_not_read() -> None:
    queue = RequestQueue(max_length=10, workers=1, max_batch=4)
    gone, stays = job(), job()
    queue.put(gone)
    queue.put(stays)
    queue.remove(gone)
    queue.remove(gone)  # nobody: no harm
    assert queue.get() == [stays]


def test_closing_lets_those_who_wait_through() -> None:
    queue = RequestQueue(max_length=10, workers=1, max_batch=1)
    last = job()
    queue.put(last)
    queue.close()
    assert queue.get() == [last]
    assert queue.get() == []


def test_a_reader_that_waits_is_woken() -> None:
    queue = RequestQueue(max_length=10, workers=1, max_batch=1)
    taken: list[list[Job]] = []
    reader = threading.Thread(target=lambda: taken.append(queue.get()))
    reader.start()
    one = job()
    queue.put(one)
    reader.join(5)
    assert taken == [[one]]
