"""Sums the metrics of several processes, each given as the text that Prometheus takes."""

from collections.abc import Container, Iterable, Iterator

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

MOMENTS = ("_created", "_start_time_seconds")
"""How the names end of what is a time: of several processes the first, not the sum."""


def summed(texts: Iterable[bytes], names: Container[str] | None = None) -> bytes:
    """One text for all; of some metrics alone, where their names are given."""
    families: dict[str, Metric] = {}
    samples: dict[str, dict[tuple[str, ...], Sample]] = {}
    for text in texts:
        for family in text_string_to_metric_families(text.decode()):
            if names is None or family.name in names:
                families.setdefault(family.name, family)
                _add(samples.setdefault(family.name, {}), family.samples)
    for name, family in families.items():
        family.samples = list(samples[name].values())
    registry = CollectorRegistry()
    registry.register(_Given(families.values()))
    return generate_latest(registry)


def _add(sums: dict[tuple[str, ...], Sample], samples: Iterable[Sample]) -> None:
    for sample in samples:
        key = (sample.name, *(part for label in sorted(sample.labels.items()) for part in label))
        before = sums.get(key)
        if before is None:
            sums[key] = sample
        elif sample.name.endswith(MOMENTS):
            sums[key] = sample._replace(value=min(before.value, sample.value))
        else:
            sums[key] = sample._replace(value=before.value + sample.value)


class _Given(Collector):
    """Metrics that are known already."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families
