"""Metrics for Prometheus."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Each application counts for itself: two in one process do not meet."""

    def __init__(self) -> None:
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
        ProcessCollector(registry=self.registry)  # memory, seconds of computing


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
