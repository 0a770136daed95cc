"""Replays Spark's SQL golden files (sql-tests/results/*.sql.out) against any Spark Connect server.

usage: golden.py sc://host:port [file-pattern …] [--out FILE] [--timeout S]

Follows SQLQueryTestSuite: a session per file with the same settings, the fixture tables, Hive-style rendering of
rows, the same masking, rows compared as a bag unless the query is ordered at top level. golden_judge.py explains the
verdicts. SUITE_SRC holds sql/core/src/test/resources. Run it with the suite's interpreter.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import golden_fixtures
import pyarrow as pa
from golden_files import TESTS, Statement, golden_files, mask, settings_of, statements
from golden_judge import Verdict, expected_error, judge_error, judge_rows, plain
from golden_text import Style, cell, year_month_text
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.connect.session import SparkSession

OUTCOME_DIFFERS = ("rows", "error", "noerror", "timeout", "client")
GIVE_UP_AFTER = 3  # timeouts in one file
Result = dict[str, Any]


class QueryTimeout(BaseException):
    """Not an Exception: nothing on the way may take it for a failure of the statement."""


def on_alarm(*_: object) -> None:
    raise QueryTimeout


class File:
    """One golden file on one session."""

    def __init__(self, spark: Any, name: str, seconds: int, warehouse: str | None) -> None:
        self.spark, self.name, self.seconds, self.warehouse = spark, name, seconds, warehouse
        settings = settings_of(name)
        for key, value in settings.items():
            set_if_known(spark, key, value)
        if name.startswith("postgreSQL"):
            register_functions(spark)
        self.style = Style(lambda: zone(spark), settings.get("spark.sql.binaryOutputStyle", "UTF8"))

    def results(self) -> list[Result]:
        """A verdict for every statement; a file whose statements hang is given up."""
        results: list[Result] = []
        # On Java 21 doubles print their shortest digits, as in Python: those files are an answer too.
        java21 = (TESTS / "results" / f"{self.name}.out.java21").exists()
        others = statements(self.name, ".java21") if java21 else []
        for i, statement in enumerate(statements(self.name)):
            started, hangs = time.time(), sum(one["verdict"] == "timeout" for one in results) >= GIVE_UP_AFTER
            word, note = ("timeout", "file given up") if hangs else self.verdict(statement)
            if word == "rows" and others:
                word, note = self.verdict(others[i])
            results.append(
                {"i": i, "sql": statement[0], "verdict": word, "note": note, "s": round(time.time() - started, 2)}
            )
        return results

    def verdict(self, statement: Statement) -> Verdict:
        """Ask within the time given, judge what comes."""
        signal.signal(signal.SIGALRM, on_alarm)
        signal.alarm(self.seconds)
        try:
            return self.judged(*statement)
        except QueryTimeout:
            return "timeout", ""
        finally:
            signal.alarm(0)

    def judged(self, sql: str, want_schema: str, want: str) -> Verdict:
        """The statement's answer or error against the golden one."""
        error = expected_error(want_schema, want)
        try:
            schema, rows = self.answer(sql)
        except PySparkException as failure:
            if "ARROW" in (failure.getCondition() or ""):
                return "client", str(failure)[:300]
            return judge_error(error, failure) if error else ("error", str(failure)[:400])
        except Exception as failure:  # noqa: BLE001  whatever the client raises is the verdict
            return "client", f"{type(failure).__name__}: {str(failure)[:300]}"
        return (
            ("noerror", f"want {error.name} {error.condition}")
            if error
            else judge_rows(sql, want_schema, want, schema, rows)
        )

    def answer(self, sql: str) -> tuple[str, list[str]]:
        """Schema string and rows as the suite would print them."""
        frame = self.spark.sql(sql)
        table, schema = frame._to_table()
        schema = schema or frame.schema
        months = [isinstance(field.dataType, T.YearMonthIntervalType) for field in schema]
        if any(months):
            table = months_as_text(frame, months)
        columns = [
            [self.text(value, field.dataType) for chunk in table.column(i).chunks for value in chunk]
            for i, field in enumerate(schema)
        ]
        rows: list[tuple[str, ...]] = list(zip(*columns, strict=True)) if columns else [()] * table.num_rows
        text = plain(schema.simpleString())
        return text, [mask("\t".join(row), self.warehouse) for row in special(text, rows)]

    def text(self, value: Any, kind: T.DataType) -> str:
        if isinstance(kind, T.YearMonthIntervalType):
            return year_month_text(value.as_py()) if value.is_valid else "NULL"
        return cell(value, kind, self.style)


def months_as_text(frame: Any, months: list[bool]) -> pa.Table:
    """Python has no Arrow scalar for these intervals: the server prints them."""
    names = [f"c{i}" for i in range(len(months))]
    chosen = [F.col(n).cast("string") if month else F.col(n) for n, month in zip(names, months, strict=True)]
    return frame.toDF(*names).select(*chosen)._to_table()[0]


def special(schema: str, rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """DESCRIBE pads its cells, SHOW TABLES keeps only the name."""
    if schema == "struct<col_name:string,data_type:string,comment:string>":
        return [tuple(("" if v == "NULL" and i == 2 else v).ljust(20) for i, v in enumerate(row)) for row in rows]
    shown = r"struct<namespace:string,(tableName|viewName):string,isTemporary:boolean"
    if re.match(shown, schema) and "information" not in schema:
        return [row[1:2] for row in rows]
    return rows


def set_if_known(spark: Any, key: str, value: str) -> None:
    """A setting that the server refuses shows in the verdicts."""
    try:
        spark.conf.set(key, value)
    except PySparkException as refused:
        print(f"  {key}: {str(refused).splitlines()[0][:120]}")


def register_functions(spark: Any) -> None:
    """The three that the PostgreSQL files call."""
    try:
        spark.udf.register("booleq", lambda a, b: a == b, "boolean")
        spark.udf.register("boolne", lambda a, b: a != b, "boolean")
        spark.udf.register("vol", lambda s: s, "string")
    except PySparkException as refused:
        print(f"  functions: {str(refused).splitlines()[0][:120]}")


def zone(spark: Any) -> ZoneInfo:
    """The session's zone; Python knows fixed offsets by other names."""
    name = spark.conf.get("spark.sql.session.timeZone")
    fixed = re.match(r"^(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?$", name)
    return ZoneInfo(f"Etc/GMT{'-' if fixed[1] == '+' else '+'}{int(fixed[2])}" if fixed else name)


def warehouse_of(spark: Any) -> str | None:
    """As rows show it, to be masked."""
    try:
        return re.sub("^file:/*", "/", spark.conf.get("spark.sql.warehouse.dir") or "").rstrip("/")
    except PySparkException:
        return None


def run(url: str, name: str, seconds: int) -> list[Result]:
    """One file on a session of its own, the catalog left as it was."""
    spark = SparkSession.builder.remote(url).create()
    text = " ".join(sql for sql, _, _ in statements(name)).lower()
    golden_fixtures.ensure(spark, [fixture for fixture in golden_fixtures.FIXTURES if fixture in text])
    before = golden_fixtures.catalog_state(spark)
    results = File(spark, name, seconds, warehouse_of(spark)).results()
    golden_fixtures.clean(spark, *before)
    spark.stop()
    return results


def line(name: str, counts: Counter[str], seconds: float) -> str:
    others = " ".join(f"{word} {count}" for word, count in sorted(counts.items()) if word != "match")
    return f"{name:64} {counts['match']:4} of {sum(counts.values()):4}  {others}  {seconds:.0f}s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("patterns", nargs="*", help="such as group-by 'subquery/*'; default all but udf/ udaf/ udtf/")
    parser.add_argument("--out", type=Path, default=Path("golden.json"))
    parser.add_argument("--timeout", type=int, default=60, help="seconds per query")
    chosen = parser.parse_intermixed_args()
    logging.disable(logging.CRITICAL)  # the client logs every error it receives, with the server's stack trace
    os.environ.setdefault("SPARK_CONNECT_MODE_ENABLED", "1")
    total, everything, started = Counter[str](), {}, time.time()
    for name in golden_files(chosen.patterns):
        began = time.time()
        everything[name] = run(chosen.url, name, chosen.timeout)
        counts = Counter(result["verdict"] for result in everything[name])
        total += counts
        chosen.out.write_text(json.dumps(everything, indent=1))
        print(line(name, counts, time.time() - began), flush=True)
    same_outcome = sum(total.values()) - sum(total[word] for word in OUTCOME_DIFFERS)
    print(
        line(
            f"GOLDEN {chosen.url} in {len(everything)} files, same outcome {same_outcome},",
            total,
            time.time() - started,
        )
    )


if __name__ == "__main__":
    main()
