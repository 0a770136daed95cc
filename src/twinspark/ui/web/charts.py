"""Draws a chart of two columns of a result as SVG: bars for few or named values, a line for many numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from twinspark.ui.web.html import Html, tag

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 280, 64, 44, 12
MOST_POINTS = 200
TICKS = 4
MOST_LABELS = 12


def draw_chart(labels: Sequence[str], values: Sequence[float], kind: str, title: str) -> Html:
    """`kind` is `bar` or `line`."""
    labels, values = labels[:MOST_POINTS], values[:MOST_POINTS]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = Scale(low, high if high > low else low + 1.0, len(values))
    marks = [bar(scale, n, value) for n, value in enumerate(values)] if kind == "bar" else [line(scale, values)]
    return tag(
        "svg",
        tag("title", title),
        [tick(scale, value) for value in scale.ticks()],
        marks,
        [label_of(scale, n, text) for n, text in enumerate(labels) if n % scale.label_step == 0],
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        class_="chart",
        aria_label=title,
    )


class Scale:
    """From values and positions to the drawing's coordinates."""

    def __init__(self, low: float, high: float, count: int) -> None:
        self.low, self.high, self.count = low, high, max(count, 1)
        self.step = (WIDTH - LEFT - 8) / self.count
        self.label_step = math.ceil(self.count / MOST_LABELS)

    def x(self, number: float) -> float:
        return LEFT + number * self.step

    def y(self, value: float) -> float:
        return TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

    def ticks(self) -> list[float]:
        return [self.low + (self.high - self.low) * n / TICKS for n in range(TICKS + 1)]


def bar(scale: Scale, number: int, value: float) -> Html:
    top, bottom = sorted((scale.y(value), scale.y(0.0)))
    width = max(scale.step * 0.8, 1.0)
    sizes = {"x": f"{scale.x(number + 0.1):.1f}", "y": f"{top:.1f}", "width": f"{width:.1f}"}
    return tag("rect", tag("title", f"{value:g}"), height=f"{max(bottom - top, 0.5):.1f}", class_="mark", **sizes)


def line(scale: Scale, values: Sequence[float]) -> Html:
    points = " ".join(f"{scale.x(n + 0.5):.1f},{scale.y(value):.1f}" for n, value in enumerate(values))
    return tag("polyline", points=points, class_="line")


def tick(scale: Scale, value: float) -> Html:
    y = f"{scale.y(value):.1f}"
    text = tag("text", tick_text(value), x=LEFT - 8, y=y, class_="tick", text_anchor="end", dominant_baseline="middle")
    return tag("g", tag("line", x1=LEFT, x2=WIDTH - 8, y1=y, y2=y, class_="grid"), text)


def tick_text(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.3g}"


def label_of(scale: Scale, number: int, text: str) -> Html:
    shown = text if len(text) <= 12 else text[:11] + "…"
    return tag("text", shown, x=f"{scale.x(number + 0.5):.1f}", y=HEIGHT - BOTTOM + 18, class_="tick",
               text_anchor="middle")  # fmt: skip


def as_number(value: Any) -> float | None:
    """A finite number of a result's value; None for everything else."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
