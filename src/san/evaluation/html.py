"""The report as one HTML page that needs nothing else.

- Styles and pictures lie inside; there is no script, and the page's own policy forbids any.
- Formulas are MathML, which browsers draw themselves.
- Ids, labels and whatever a weights file says come from strangers: all of it is escaped.
- No date and no speed: the same reading gives the same page, to the byte.
- The tables are those of the terminal, cell by cell.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files

from rich.table import Table

from san.evaluation.metrics import Rate
from san.evaluation.report import Report
from san.evaluation.table import tables
from san.evaluation.wrong_reading_html import wrong_reading_html
from san.evaluation.wrong_readings import Gallery

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
MAX_CONFUSIONS = 25


def to_html(
    report: Report,
    gallery: Gallery,
    corpus: str,
    facts: Mapping[str, str],
    notes: Iterable[str] = (),
) -> str:
    """The page. `facts` describe the model, `notes` what a reader of the figures should know."""
    style = (files("san.evaluation") / "report.css").read_text("utf-8")
    title = escape(f"san on {corpus}")
    body = "\n".join(_sections(report, gallery, corpus, facts, notes))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _sections(
    report: Report,
    gallery: Gallery,
    corpus: str,
    facts: Mapping[str, str],
    notes: Iterable[str],
) -> Iterator[str]:
    yield f"<header><h1>{escape(corpus)}</h1>{_facts(facts)}</header>"
    scores, *errors = tables(report, MAX_CONFUSIONS)
    headline = {
        "ExpRate": report.exprate,
        "≤ 1 error": report.le1,
        "≤ 2 errors": report.le2,
        "structure right": report.espr,
    }
    yield '<section id="scores"><h2>Scores</h2>'
    yield f'<div class="cards">{"".join(_card(*item) for item in headline.items())}</div>'
    yield _list("notes", notes)
    yield _table(scores)
    yield "</section>"
    yield '<section id="lengths"><h2>ExpRate by number of symbols</h2>'
    yield f"{length_curve(report.by_length)}</section>"
    if errors:
        yield '<section id="errors"><h2>Where the errors are</h2><div class="side">'
        yield from map(_table, errors)
        yield "</div></section>"
    if gallery:
        yield f'<section id="gallery"><h2>Errors</h2><p class="dim">{_extent(gallery)}</p>'
        yield from map(wrong_reading_html, gallery)
        yield "</section>"


def _extent(gallery: Gallery) -> str:
    shown = f"{len(gallery):,} of {gallery.offered:,}" if gallery.offered > len(gallery) else "All"
    return (
        f"{shown} wrong readings, the shortest expressions first. What differs is marked. "
        "The small pictures follow the network step by step: the symbol it wrote, how sure it was, "
        "and its attention."
    )


def _facts(facts: Mapping[str, str]) -> str:
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return f"<dl>{''.join(rows)}</dl>"


def _card(name: str, rate: Rate) -> str:
    low, high = rate.interval
    return (
        f"<div><b>{rate.percent:.2f}<small>%</small></b><span>{escape(name)}</span>"
        f'<span class="dim">{low:.1f} – {high:.1f}</span></div>'
    )


def _list(name: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="{name}">{items}</ul>' if items else ""


def _table(table: Table) -> str:
    heads = "".join(f"<th>{escape(str(column.header))}</th>" for column in table.columns)
    rows = []
    cells = zip(*(column.cells for column in table.columns), strict=True)
    for row, row_cells in zip(table.rows, cells, strict=True):
        last = ' class="last"' if row.end_section else ""
        rows.append(
            f"<tr{last}>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row_cells)}</tr>"
        )
    return (
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 24, 52
TICKS = (0, 25, 50, 75, 100)


def length_curve(rates: Mapping[str, Rate]) -> str:
    """ExpRate over the length of expressions as one `<svg>`; absent lengths leave a gap."""
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
