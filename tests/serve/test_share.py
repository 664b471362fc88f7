"""What processes behind one port have in common: limits, and metrics as their sum."""

import multiprocessing

import pytest
from prometheus_client.parser import text_string_to_metric_families

from san.serve.metrics import Metrics, keep_lasting
from san.serve.queue import QueueFullError, RequestQueue
from san.serve.settings import Settings
from san.serve.share import HEAD, MAX_TEXT, Count, Share
from san.serve.workers import WorkerPool
from tests.serve.conftest import recognizer
from tests.serve.test_queue import job


def two() -> tuple[Share, Share]:
    both = Share(multiprocessing.get_context("spawn"), 2)
    return both.at(0), both.at(1)


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_counts_are_of_all_processes_until_one_ends() -> None:
    first, second = two()
    first.set(Count.WAITING, 3)
    second.set(Count.WAITING, 4)
    second.set(Count.HELD, 1_000)
    assert first.total(Count.WAITING) == second.total(Count.WAITING) == 7
    second.clear()
    assert first.total(Count.WAITING) == 3
    assert first.total(Count.HELD) == 0


def test_a_queue_is_as_full_as_all_of_them_together() -> None:
    queues = [RequestQueue(3, workers=1, max_batch=1, share=share) for share in two()]
    taken = job()
    queues[0].put(taken)
    queues[0].put(job())
    queues[1].put(job())
    for queue in queues:
        with pytest.raises(QueueFullError):
            queue.put(job())
    queues[0].remove(taken)
    queues[1].put(job())


def test_a_pool_is_overloaded_before_it_refuses() -> None:
    first, second = two()
    pool = WorkerPool(recognizer(), Settings(max_queue=8), first)
    second.set(Count.WAITING, 5)
    assert not pool.overloaded
    second.set(Count.WAITING, 6)
    assert pool.overloaded


def test_metrics_are_the_sum() -> None:
    metrics = [Metrics(share) for share in two()]
    for count, one in enumerate(metrics, 1):
        one.requests.labels("/api/v1/read", "200").inc(count)
        one.seconds.labels("/api/v1/read").observe(0.2)
        one.publish()
    metrics[1].requests.labels("/readyz", "200").inc()
    found = samples(metrics[1].text())
    assert found["san_requests_total", "/api/v1/read", "200"] == 3
    assert found["san_requests_total", "/readyz", "200"] == 1  # its own are known at once
    assert found["san_request_seconds_count", "/api/v1/read"] == 2
    assert found["san_request_seconds_bucket", "0.25", "/api/v1/read"] == 2
    assert found["san_request_seconds_bucket", "0.1", "/api/v1/read"] == 0
    assert found["san_processes",] == 2
    alone = samples(Metrics().text())
    assert found["process_resident_memory_bytes",] > 1.5 * alone["process_resident_memory_bytes",]
    assert found["process_start_time_seconds",] == alone["process_start_time_seconds",]


def test_sums_do_not_fall_when_a_process_ends() -> None:
    first, second = two()
    gone, stays = Metrics(first), Metrics(second)
    gone.requests.labels("/api/v1/read", "200").inc(5)
    gone.publish()
    keep_lasting(first)
    found = samples(stays.text())
    assert found["san_requests_total", "/api/v1/read", "200"] == 5
    assert found["san_processes",] == 1
    successor = Metrics(first)
    successor.requests.labels("/api/v1/read", "200").inc(2)
    successor.publish()
    assert samples(stays.text())["san_requests_total", "/api/v1/read", "200"] == 7


def test_what_is_being_written_is_not_read() -> None:
    share, other = two()
    share.publish(b"a 1\n")
    assert share.published() == b"a 1\n"
    assert other.published() == b""
    share._view()[HEAD] = ord("b")
    assert share.published() == b""
    share.publish(b"x" * (MAX_TEXT + 1))  # left out, rather than cut
    assert other.published() == b""
