"""Draws the kept results of `make bench` as SVG pictures and writes docs/reference/benchmarks.md around them.

usage: tpch_plots.py [--results bench/results/tpch-sf1.json]; `make bench` runs it after the measurement.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tpch_report

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results" / "tpch-sf1.json"
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
PICTURES = ROOT / "docs" / "pictures"
COLOURS = {"duckdb": "#5f6b7a", "twinspark": "#0b6e4f", "sail": "#2a6fb0", "spark": "#c05621"}
OTHER_COLOUR = "#7b5ea7"
WIDTH, BAR, LEFT = 760, 26, 190
Result = Mapping[str, Any]

TEXT = """\
# Benchmarks

Written by `make bench`, which runs TPC-H at scale factor {scale} from one PySpark script on raw DuckDB, twinspark,
Sail and Spark, on one machine and in one run ({conditions}). The best of three runs counts.
`bench/README.md` says how it is measured. Where the time of one query goes: [performance.md](performance.md); single
functions: [functions-speed.md](functions-speed.md).

## All 22 queries
![Seconds for the 22 queries, by engine](../pictures/bench-totals.svg)

## Each query
The axis is logarithmic: a step up is ten times slower.

![Seconds of each query in SQL, by engine](../pictures/bench-queries.svg)

## Rows to the client
All six million rows of `lineitem` as one Arrow table (`DataFrame.toArrow`), and the median of `select 1`.

![Seconds to fetch lineitem, by engine](../pictures/bench-rows.svg)

![Milliseconds of select 1, by engine](../pictures/bench-select1.svg)

## Memory of the server
![Peak memory of the server process, by engine](../pictures/bench-memory.svg)

## The numbers
{numbers}
"""


def bars(title: str, unit: str, values: Mapping[str, float], digits: int = 2) -> str:
    """Horizontal bars with their values; the engine is the first word of a label."""
    most = max(values.values())
    height = 44 + len(values) * (BAR + 10)
    rows = [
        bar(number, label, value, most, f"{value:.{digits}f} {unit}")
        for number, (label, value) in enumerate(values.items())
    ]
    return svg(title, height, rows)


def bar(number: int, label: str, value: float, most: float, text: str) -> str:
    top, length = 40 + number * (BAR + 10), max(1.0, value / most * (WIDTH - LEFT - 110))
    middle = top + BAR / 2 + 5
    return (
        f'<text x="{LEFT - 10}" y="{middle}" text-anchor="end">{escape(label)}</text>'
        f'<rect x="{LEFT}" y="{top}" width="{length:.1f}" height="{BAR}" rx="2" fill="{colour_of(label)}"/>'
        f'<text x="{LEFT + length + 8:.1f}" y="{middle}">{escape(text)}</text>'
    )


def colour_of(label: str) -> str:
    return COLOURS.get(label.split()[0].rstrip(","), OTHER_COLOUR)


def dots(title: str, engines: Mapping[str, Mapping[str, float | None]]) -> str:
    """One dot for each engine and query, over a logarithmic axis of seconds."""
    values = [one for each in engines.values() for one in each.values() if one]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    axis = LogAxis(low, high, sorted({number for each in engines.values() for number in each}, key=int))
    marks = [dot(axis, name, number, one) for name, each in engines.items() for number, one in each.items() if one]
    return svg(title, axis.bottom + 64, [*axis.lines(), *marks, *legend(engines, axis.bottom + 46)])


class LogAxis:
    """Positions of queries and of seconds between two powers of ten."""

    top, left = 48, 64

    def __init__(self, low: int, high: int, numbers: list[str]) -> None:
        self.low, self.high, self.numbers = low, high, numbers
        self.bottom = self.top + 110 * (high - low)

    def x(self, number: str) -> float:
        step = (WIDTH - self.left - 24) / len(self.numbers)
        return self.left + step * (self.numbers.index(number) + 0.5)

    def y(self, seconds: float) -> float:
        return self.bottom - (math.log10(seconds) - self.low) / (self.high - self.low) * (self.bottom - self.top)

    def lines(self) -> Iterator[str]:
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            yield f'<line x1="{self.left}" x2="{WIDTH - 16}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d5dae1"/>'
            yield f'<text x="{self.left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>'
        for number in self.numbers:
            yield f'<text x="{self.x(number):.1f}" y="{self.bottom + 20}" text-anchor="middle">{number}</text>'


def dot(axis: LogAxis, engine: str, number: str, seconds: float) -> str:
    title = f"<title>{escape(engine)}, query {number}: {seconds:.3f} s</title>"
    x, y = f"{axis.x(number):.1f}", f"{axis.y(seconds):.1f}"
    return f'<circle cx="{x}" cy="{y}" r="5" fill="{colour_of(engine)}">{title}</circle>'


def legend(engines: Mapping[str, object], y: int) -> Iterator[str]:
    for number, name in enumerate(engines):
        x = 64 + number * 130
        yield f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{colour_of(name)}"/>'
        yield f'<text x="{x + 12}" y="{y}">{escape(name)}</text>'


def svg(title: str, height: float, content: list[str]) -> str:
    """On a light ground of its own: it is shown on light and dark pages."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" font-family="sans-serif" '
        f'font-size="14" fill="#1c2430"><title>{escape(title)}</title>'
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#f7f8fa"/>'
        f'<text x="16" y="26" font-weight="bold">{escape(title)}</text>' + "\n".join(content) + "</svg>\n"
    )


def pictures(report: Result) -> dict[str, str]:
    """By file name."""
    engines = report["engines"]
    sql = {name: each["sql"] for name, each in engines.items() if "sql" in each}
    rows = of_engines(engines, lambda each: each["to_arrow_seconds"])
    select_1 = of_engines(engines, lambda each: each["select_1"]["p50_ms"])
    memory = of_engines(engines, lambda each: each["memory_peak"] / 2**20)
    return {
        "bench-totals.svg": bars("22 queries of TPC-H, seconds", "s", totals(engines)),
        "bench-queries.svg": dots("Each query in SQL, seconds", sql),
        "bench-rows.svg": bars("lineitem as Arrow, seconds", "s", rows),
        "bench-select1.svg": bars("select 1, median", "ms", select_1, 1),
        "bench-memory.svg": bars("Peak memory of the server", "MiB", memory, 0),
    }


def totals(engines: Mapping[str, Result]) -> dict[str, float]:
    """Of engines that answered every query: a sum that lacks some would flatter."""
    found = {}
    for name, each in engines.items():
        for form, label in (("sql", "SQL"), ("dataframe", "DataFrame")):
            if (total := tpch_report.total(each.get(form))) and not tpch_report.missing(each[form]):
                found[f"{name}, {label}"] = total
    return found


def of_engines(engines: Mapping[str, Result], value: Any) -> dict[str, float]:
    found = {}
    for name, each in engines.items():
        try:
            found[name] = float(value(each))
        except KeyError:  # raw DuckDB has no server
            continue
    return found


def page(report: Result) -> str:
    conditions = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    numbers = "\n\n".join(tpch_report.markdown(report).strip().split("\n\n")[1:])
    return TEXT.format(scale=report["scale"], conditions=conditions, numbers=numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    report = json.loads(parser.parse_args().results.read_text())
    PAGE.write_text(page(report))
    for name, drawing in pictures(report).items():
        (PICTURES / name).write_text(drawing)


if __name__ == "__main__":
    main()
