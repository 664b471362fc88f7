"""ExpRate over the length of expressions as a drawing: points, and a bar for each interval."""

from collections.abc import Mapping
from html import escape

from san.evaluation.rate import Rate

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 12, 52
TICKS = (0, 25, 50, 75, 100)


def curve(rates: Mapping[str, Rate]) -> str:
    """One `<svg>` element; lengths that do not occur leave a gap."""
    step = (WIDTH - LEFT - RIGHT) / max(1, len(rates))
    parts = [_grid_line(percent) for percent in TICKS]
    points: list[tuple[float, Rate]] = []
    for place, (name, rate) in enumerate(rates.items()):
        x = LEFT + (place + 0.5) * step
        parts.append(_text(x, HEIGHT - 30, name) + _text(x, HEIGHT - 12, f"n = {rate.total:,}"))
        if rate.total:
            points.append((x, rate))
    line = " ".join(f"{x:.1f},{_height(rate.percent):.1f}" for x, rate in points)
    parts.append(f'<polyline class="line" points="{line}"/>')
    parts += [_point(x, rate) for x, rate in points]
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="ExpRate by number of symbols">{"".join(parts)}</svg>'
    )


def _point(x: float, rate: Rate) -> str:
    low, high = (_height(percent) for percent in rate.interval)
    y = _height(rate.percent)
    bar = f"M{x - 6:.1f} {low:.1f}h12m-6 0V{high:.1f}m-6 0h12"
    return (
        f'<path class="interval" d="{bar}"/><circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        f'<text class="value" x="{x + 10:.1f}" y="{y - 7:.1f}">{rate.percent:.1f}</text>'
    )


def _grid_line(percent: int) -> str:
    y = _height(percent)
    return (
        f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>'
    )


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'


def _height(percent: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - percent / 100)
