"""What the service counts."""

from prometheus_client.parser import text_string_to_metric_families

from tests.serve.conftest import asking, strokes


def test_requests_batches_and_time() -> None:
    with asking() as client:
        assert client.post("/api/v1/ink", json={"strokes": strokes()}).status_code == 200
        client.post("/api/v1/ink", content=b"{")
        for path in ("/nothing", "/nothing/else", "/static/manual.css"):
            client.get(path)
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["san_requests_total", "/api/v1/ink", "200"] == 1
    assert samples["san_requests_total", "/api/v1/ink", "422"] == 1
    # Whatever strangers ask for, the names that are counted stay few.
    assert samples["san_requests_total", "other", "404"] == 2
    assert samples["san_request_seconds_count", "/api/v1/ink"] == 2
    assert samples["san_request_seconds_sum", "/api/v1/ink"] > 0
    assert samples["san_batch_requests_count",] == 2
    assert samples["san_queue_length",] == 0
    assert samples["process_resident_memory_bytes",] > 1e6
