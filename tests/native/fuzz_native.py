"""Asks a running Spark and the native functions the same things.

`python tests/native/fuzz_native.py [--rows N] [--record] [case ...]`; SPARK_REMOTE names a Spark Connect server
(sc://localhost:15002 when it is not set). `--record` writes the sample that test_native_replay.py replays.
"""

import argparse
import os
import random
import re
import struct
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from native_cases import CASES, Case

from twinspark.duck import native

RECORDED = Path(__file__).parent / "recorded"


def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect(config=native.CONFIG)
    native.load(made)
    made.execute("SET TimeZone = 'UTC'")
    return made


def same(left: Any, right: Any) -> bool:
    """Bit for bit: 0.0 is not -0.0; every NaN is one NaN."""
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack(">d", left) == struct.pack(">d", right) or (left != left and right != right)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return left == right and left.as_tuple().exponent == right.as_tuple().exponent
    return type(left) is type(right) and bool(left == right)


def plain(answers: Any) -> list[Any]:
    """Dates and timestamps as numbers: Spark's years go beyond Python's."""
    if pa.types.is_date32(answers.type):
        answers = answers.cast(pa.int32())
    if pa.types.is_timestamp(answers.type):
        answers = answers.cast(pa.int64())
    values: list[Any] = answers.to_pylist()
    return values


def ours(case: Case, inputs: pa.Table, on: duckdb.DuckDBPyConnection) -> list[Any]:
    on.register("inputs", inputs)
    if case.aggregate:
        rows = on.sql(f"SELECT g, {case.duck} AS r FROM inputs GROUP BY g ORDER BY g")
    else:
        rows = on.sql(f"SELECT {case.duck} AS r FROM inputs")
    answers = plain(rows.to_arrow_table().column("r"))
    on.unregister("inputs")
    return answers


def sparks(case: Case, inputs: pa.Table, spark: Any) -> pa.Array:
    numbered = inputs if case.aggregate else inputs.append_column("n", pa.array(range(len(inputs)), pa.int32()))
    frame = spark.createDataFrame(numbered)
    if case.aggregate:
        frame = frame.groupBy("g").agg(expression(case)).orderBy("g")
    else:
        frame = frame.repartition(1).sortWithinPartitions("n").selectExpr("n", f"{case.spark} AS r")
    answered = frame.toArrow()
    order = answered.column("g" if case.aggregate else "n").to_pylist()
    assert order == sorted(order)
    return answered.column("r").combine_chunks()


def expression(case: Case) -> Any:
    from pyspark.sql.connect.functions import builtin

    return builtin.expr(case.spark).alias("r")


def rows_of(case: Case, inputs: pa.Table) -> list[Any]:
    if not case.aggregate:
        return inputs.to_pylist()
    groups: dict[int, list[Any]] = {}
    for row in inputs.to_pylist():
        groups.setdefault(row.pop("g"), []).append(row)
    return [groups[g] for g in sorted(groups)]


def differences(case: Case, inputs: pa.Table, expected: list[Any], on: duckdb.DuckDBPyConnection) -> list[str]:
    answers = ours(case, inputs, on)
    assert len(answers) == len(expected)
    return [
        f"{given}: Spark {wanted!r}, ours {got!r}"
        for given, wanted, got in zip(rows_of(case, inputs), expected, answers, strict=True)
        if not same(wanted, got)
    ]


def record(case: Case, inputs: pa.Table, answers: pa.Array) -> None:
    """Inputs and answers side by side, in column answer; every row of a group carries the group's answer."""
    RECORDED.mkdir(exist_ok=True)
    if case.aggregate:
        groups = inputs.column("g").to_pylist()
        order = {group: place for place, group in enumerate(sorted(set(groups)))}
        answers = answers.take(pa.array([order[group] for group in groups]))
    used = [name for name in inputs.column_names if name == "g" or re.search(rf"\b{name}\b", case.duck)]
    kept = inputs.select(used).append_column("answer", answers)
    pq.write_table(kept, RECORDED / f"{case.name}.parquet", compression="zstd")


def recorded(case: Case) -> tuple[pa.Table, list[Any]]:
    """What `record` wrote: the inputs and Spark's answers."""
    both = pq.read_table(RECORDED / f"{case.name}.parquet")
    answers = plain(both.column("answer"))
    if case.aggregate:
        by_group = dict(zip(both.column("g").to_pylist(), answers, strict=True))
        answers = [by_group[group] for group in sorted(by_group)]
    return both.drop_columns(["answer"]), answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("names", nargs="*", help="beginnings of case names; all when none is given")
    asked = parser.parse_args()
    from pyspark.sql.connect.session import SparkSession

    spark = SparkSession.builder.remote(os.environ.get("SPARK_REMOTE", "sc://localhost:15002")).create()
    on = connection()
    wrong = 0
    for case in CASES.values():
        if asked.names and not any(case.name.startswith(name) for name in asked.names):
            continue
        inputs = case.inputs(random.Random(f"{case.name}{asked.seed}"), asked.rows)
        spark.conf.set("spark.sql.ansi.enabled", "false")
        spark.conf.set("spark.sql.session.timeZone", case.zone)
        for key, value in case.settings.items():
            spark.conf.set(key, value)
        answers = sparks(case, inputs, spark)
        for key in case.settings:
            spark.conf.unset(key)
        found = differences(case, inputs, plain(answers), on)
        nulls = answers.null_count
        print(f"{case.name}: {len(answers)} answers ({nulls} NULL), {len(found)} differ", *found[:5], sep="\n    ")
        sys.stdout.flush()
        wrong += len(found)
        if asked.record:
            record(case, inputs, answers)
    print(f"{wrong} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
