"""The benchmark's results as Markdown: a summary with ratios to raw DuckDB, then every query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Result = Mapping[str, Any]


def markdown(report: Result) -> str:
    """The whole page."""
    conditions = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    parts = [f"TPC-H SF {report['scale']}, best runs ({conditions})", summary(report["engines"])]
    parts.append("Seconds per query:\n\n" + per_query(report["engines"]))
    return "\n\n".join(parts) + "\n"


def summary(engines: Mapping[str, Result]) -> str:
    """One line per engine."""
    raw = engines.get("duckdb", {})
    heading = ["engine", "22 queries, SQL", "22 queries, DataFrame", "CPU of SQL, DataFrame (mean)"]
    heading += ["select 1 (p50)", "lineitem toArrow", "server memory: idle, peak", "ready after"]
    return table(heading, [[name, *summary_cells(result, raw)] for name, result in engines.items()])


def summary_cells(result: Result, raw: Result) -> list[str]:
    """Totals with their ratio to raw DuckDB, which runs only SQL."""
    raw_total = total(raw.get("sql"))
    return [
        with_ratio(total(result.get("sql")), raw_total, missing(result.get("sql"))),
        with_ratio(total(result.get("dataframe")), raw_total, missing(result.get("dataframe"))),
        ", ".join(f"{result[key]:.1f} s" for key in ("sql_cpu_seconds", "dataframe_cpu_seconds") if key in result),
        f"{result['select_1']['p50_ms']:.1f} ms" if "select_1" in result else "",
        with_ratio(result.get("to_arrow_seconds"), raw.get("to_arrow_seconds")),
        memory(result),
        f"{result['ready_seconds']:.2f} s" if "ready_seconds" in result else "",
    ]


def total(seconds: Mapping[str, float | None] | None) -> float | None:
    """All queries that were answered."""
    return sum(one for one in seconds.values() if one is not None) if seconds else None


def missing(seconds: Mapping[str, float | None] | None) -> int:
    """How many queries were not answered."""
    return sum(one is None for one in seconds.values()) if seconds else 0


def with_ratio(seconds: float | None, raw: float | None, absent: int = 0) -> str:
    """A total that lacks queries gets no ratio: it would flatter."""
    if seconds is None:
        return ""
    if absent:
        return f"{seconds:.2f} s, {absent} not answered"
    return f"{seconds:.2f} s" + (f" ({seconds / raw:.2f}x)" if raw else "")


def memory(result: Result) -> str:
    """In MiB."""
    if "memory_peak" not in result:
        return ""
    return f"{result['memory_before'] / 2**20:.0f}, {result['memory_peak'] / 2**20:.0f} MiB"


def per_query(engines: Mapping[str, Result]) -> str:
    """One line per query, one column per engine and form."""
    columns = [(name, form) for name, result in engines.items() for form in ("sql", "dataframe") if form in result]
    numbers = sorted({int(number) for name, form in columns for number in engines[name][form]})
    rows = [[str(number), *(cell(engines[name][form], number) for name, form in columns)] for number in numbers]
    return table(["query", *(f"{name} {form}" for name, form in columns)], rows)


def cell(seconds: Mapping[Any, float | None], number: int) -> str:
    """JSON makes the query numbers text; before that they are numbers."""
    one = seconds.get(number, seconds.get(str(number)))
    return "–" if one is None else f"{one:.3f}"


def table(heading: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
