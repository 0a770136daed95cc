"""Draws two columns as a bar, line or scatter chart in SVG: no library has to be installed, and it works offline."""

from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 280, 70, 50, 12
COLOUR = "#2f6fb3"
MOST_POINTS, MOST_LABELS = 2000, 12
KINDS = ("bar", "line", "scatter")


class ChartError(Exception):
    """The columns cannot be drawn."""


def draw(kind: str, labels: Sequence[Any], values: Sequence[Any], x: str, y: str) -> str:
    """An SVG with an axis on the left and labels below."""
    numbers = [number_of(value) for value in values[:MOST_POINTS]]
    if not numbers:
        raise ChartError("there are no rows to draw")
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    scale = (HEIGHT - BOTTOM - TOP) / ((high - low) or 1.0)
    step = (WIDTH - LEFT) / len(numbers)
    points = [(LEFT + step * (at + 0.5), TOP + (high - number) * scale) for at, number in enumerate(numbers)]
    zero = TOP + high * scale
    parts = [MARKS[kind](points, zero, step), axis(low, high, scale), label_texts(labels, points), title(x, y)]
    return f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'


def number_of(value: Any) -> float:
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        raise ChartError(f"a chart needs numbers, not {value!r}") from None


Points = list[tuple[float, float]]


def bars(points: Points, zero: float, step: float) -> str:
    width = max(step * 0.8, 0.5)
    return "".join(
        f'<rect x="{x - width / 2:.1f}" y="{min(y, zero):.1f}" width="{width:.1f}" height="{abs(zero - y):.1f}" '
        f'fill="{COLOUR}"/>'
        for x, y in points
    )


def line(points: Points, zero: float, step: float) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{COLOUR}" stroke-width="2"/>'


def dots(points: Points, zero: float, step: float) -> str:
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOUR}"/>' for x, y in points)


MARKS = {"bar": bars, "line": line, "scatter": dots}


def axis(low: float, high: float, scale: float) -> str:
    """Five values from the lowest to the highest."""
    found = [low + (high - low) * at / 4 for at in range(5)] if high > low else [low]
    return "".join(
        f'<text x="{LEFT - 8}" y="{TOP + (high - value) * scale + 4:.1f}" text-anchor="end" font-size="11" '
        f'fill="currentColor">{value:.4g}</text>'
        for value in found
    )


def label_texts(labels: Sequence[Any], points: Points) -> str:
    every = max(1, -(-len(points) // MOST_LABELS))
    return "".join(
        f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" font-size="11" fill="currentColor">'
        f"{escape(str(labels[at])[:12])}</text>"
        for at, (x, _) in enumerate(points)
        if at % every == 0
    )


def title(x: str, y: str) -> str:
    return f"<title>{escape(y)} by {escape(x)}</title>"
