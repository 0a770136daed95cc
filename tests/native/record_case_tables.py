"""Asks a running Spark how it maps the case of every character, and writes the C file case_tables.h.

Spark maps case with ICU's tables (spark.sql.icu.caseMappings.enabled), not with those of the Java that runs it.
"""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa

HEADER = Path(__file__).parents[2] / "src" / "twinspark" / "duck" / "native" / "text" / "case_tables.h"
ASKED = {
    "upper": "upper(c)",
    "lower": "lower(c)",
    "title": "initcap(c)",
    "sigma_before": "lower(concat('aΣ', c))",
    "sigma_before_letter": "lower(concat('aΣ', c, 'a'))",
}
Rows = dict[int, dict[str, Any]]


def ask(spark: Any) -> Rows:
    """Every character outside ASCII with what Spark makes of it."""
    answers: Rows = {}
    points = [point for point in range(0x80, 0x110000) if not 0xD800 <= point <= 0xDFFF]
    for start in range(0, len(points), 100_000):
        part = points[start : start + 100_000]
        table = pa.table({"n": pa.array(part, pa.int32()), "c": pa.array([chr(point) for point in part])})
        asked = spark.createDataFrame(table).selectExpr("n", *[f"{sql} AS {name}" for name, sql in ASKED.items()])
        answers |= {row["n"]: row for row in asked.toArrow().to_pylist()}
    return answers


def runs(pairs: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """(code, mapped) pairs as (first, last, step, difference): neighbours one or two apart with one difference."""
    made: list[list[int]] = []
    for code, mapped in pairs:
        if made and made[-1][3] == mapped - code:
            first, last, step, _ = made[-1]
            gap = code - last
            if gap in (1, 2) and (first == last or gap == step):
                made[-1][1:3] = [code, gap]
                continue
        made.append([code, code, 1, mapped - code])
    return [(a, b, c, d) for a, b, c, d in made]


def spans(points: list[int]) -> list[tuple[int, int]]:
    made: list[list[int]] = []
    for point in points:
        if made and made[-1][1] == point - 1:
            made[-1][1] = point
        else:
            made.append([point, point])
    return [(first, last) for first, last in made]


def lines(entries: list[str]) -> str:
    """Entries wrapped at 120 characters."""
    text, line = "", "   "
    for entry in entries:
        if len(line) + len(entry) + 2 > 119:
            text += line + "\n"
            line = "   "
        line += f" {entry},"
    return text + line + "\n"


def mapping(name: str, rows: Rows, key: str) -> str:
    pairs = [(code, ord(row[key])) for code, row in rows.items() if len(row[key]) == 1 and row[key] != chr(code)]
    entries = [f"{{{a:#x}, {b:#x}, {c}, {d}}}" for a, b, c, d in runs(pairs)]
    return f"static const case_run {name}[] = {{\n{lines(entries)}}};\n"


def longer(name: str, rows: Rows, key: str) -> str:
    entries = []
    for code, row in rows.items():
        if len(row[key]) > 1:
            points = ", ".join(f"{ord(letter):#x}" for letter in row[key])
            entries.append(f"{{{code:#x}, {{{points}}}}}")
    return f"static const long_case {name}[] = {{\n{lines(entries)}}};\n"


def members(name: str, points: list[int]) -> str:
    entries = [f"{{{first:#x}, {last:#x}}}" for first, last in spans(points)]
    return f"static const case_span {name}[] = {{\n{lines(entries)}}};\n"


def header(rows: Rows) -> str:
    cased = [code for code, row in rows.items() if row["sigma_before"][1] == "σ"]
    ignorable = [
        code for code, row in rows.items() if row["sigma_before"][1] == "ς" and row["sigma_before_letter"][1] == "σ"
    ]
    return "\n".join(
        [
            "/* Case mappings outside ASCII as Spark has them; recorded by tests/native/record_case_tables.py. */",
            "#pragma once",
            "typedef struct { uint32_t first, last; int32_t step, difference; } case_run;",
            "typedef struct { uint32_t code, mapped[3]; } long_case;",
            "typedef struct { uint32_t first, last; } case_span;\n",
            mapping("upper_runs", rows, "upper"),
            mapping("lower_runs", rows, "lower"),
            mapping("title_runs", rows, "title"),
            longer("upper_long", rows, "upper"),
            longer("lower_long", rows, "lower"),
            longer("title_long", rows, "title"),
            "/* Cased and not case-ignorable; case-ignorable: what decides which small sigma ends a word. */",
            members("cased_spans", cased),
            members("ignorable_spans", ignorable),
        ]
    )


if __name__ == "__main__":
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(os.environ.get("SPARK_REMOTE", "sc://localhost:15002")).create()
    HEADER.write_text(header(ask(session)))
