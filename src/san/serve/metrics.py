"""Metrics for Prometheus: of one process, or the sum of all that share a port."""

import time

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from san.serve.metrics_sum import summed
from san.serve.share import Share

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
PUBLISH_SECONDS = 1.0
"""After which what a process has counted is known to the others."""
LASTING = ("san_requests", "san_request_seconds", "san_batch_requests")
"""Of a process that has ended, what its successor goes on with."""


class Metrics:
    """Each application counts for itself: two in one process do not meet. Those that share a port
    publish what they count to each other."""

    def __init__(self, share: Share | None = None) -> None:
        self.share = share or Share()
        # Of the process that ended at this place: sums do not fall when it does.
        self._before = self.share.published() if self.share.processes > 1 else b""
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "san_requests", "Requests, by path and status.", ["path", "status"],
            registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "san_request_seconds", "Time to an answer, by path.", ["path"],
            buckets=BUCKETS, registry=self.registry,
        )  # fmt: skip
        self.queue_length = Gauge(
            "san_queue_length", "Requests that wait to be read.", registry=self.registry
        )
        self.batches = Histogram(
            "san_batch_requests", "Requests that were read together.",
            buckets=(1, 2, 4, 8, 16), registry=self.registry,
        )  # fmt: skip
        processes = Gauge("san_processes", "Processes that answer.", registry=self.registry)
        processes.set(1)
        ProcessCollector(registry=self.registry)  # memory, seconds of computing

    def publish(self) -> None:
        """To the other processes."""
        if self.share.processes > 1:
            self.share.publish(self._own())

    def text(self) -> bytes:
        """Of all processes together: of this one as it is, of the others a second ago."""
        if self.share.processes == 1:
            return self._own()
        self.publish()
        return summed([self._own(), *(other.published() for other in self.share.others())])

    def _own(self) -> bytes:
        text = generate_latest(self.registry)
        return summed([text, self._before]) if self._before else text


def keep_lasting(share: Share) -> None:
    """Of the process at this place, which has ended, keep what its successor goes on with."""
    if text := share.published():
        share.publish(summed([text], LASTING))


class MetricsMiddleware:
    """Middleware: every request is counted under its route, unknown paths under one name."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            route = scope.get("route")
            path = getattr(route, "path", None) or "other"
            self.metrics.requests.labels(path, str(status)).inc()
            self.metrics.seconds.labels(path).observe(time.perf_counter() - began)
