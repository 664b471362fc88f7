"""A rate with its confidence interval: systems of this field differ by half a point."""

from dataclasses import dataclass
from math import sqrt

_Z = 1.959963984540054  # two-sided 95%


@dataclass(frozen=True, slots=True)
class Rate:
    """So many right out of so many; everything else in percent."""

    right: int
    total: int

    @property
    def percent(self) -> float:
        return 100 * self.right / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% score interval: sensible for few samples and near 0 and 100 as well."""
        if not self.total:
            return 0.0, 100.0
        n, share = self.total, self.right / self.total
        middle = share + _Z**2 / (2 * n)
        spread = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
        scale = 100 / (1 + _Z**2 / n)
        return max(0.0, (middle - spread) * scale), min(100.0, (middle + spread) * scale)
