"""However often something goes wrong, the log stays short."""

import logging

import pytest

from san.serve import log_limit
from san.serve.log_limit import LogLimit


def test_a_minute_has_so_many_lines(caplog: pytest.LogCaptureFixture) -> None:
    now = [1000.0]
    logger = logging.getLogger("san.test_log_limit")
    logger.addFilter(LogLimit(3, lambda: now[0]))
    for number in range(50):
        logger.error("accept: %d", number)
    assert [record.getMessage() for record in caplog.records] == [f"accept: {n}" for n in range(3)]
    now[0] += 61
    logger.error("accept: %d", 50)
    assert caplog.records[-1].getMessage() == "(47 lines like these were left out) accept: 50"
    now[0] += 61
    logger.error("quiet again")
    assert caplog.records[-1].getMessage() == "quiet again"


def test_the_servers_loggers_are_limited_once() -> None:
    for _ in range(2):
        log_limit.limit_logs()
    for name in log_limit.LIMITED:
        kinds = [type(each) for each in logging.getLogger(name).filters]
        assert kinds.count(LogLimit) == 1
