"""Spark's answers to TPC-DS, as text.  usage: SPARK_REPO=… tpcds_answers.py sc://spark (records them again)"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import tpcds_data
from pyspark.errors import PySparkException
from pyspark.sql.types import StructType

HERE = Path(__file__).resolve().parent
SCALE = os.environ.get("TWINSPARK_TEST_TPCDS_SCALE", "0.01")
FILE = HERE / f"answers_sf{SCALE}.jsonl.gz"
Answer = dict[str, Any]  # schema and rows, or the condition of an error


def as_text(row: tuple[Any, ...]) -> list[Any]:
    """Decimals keep their zeros, dates their form; whole numbers and nulls stay what they are."""
    return [value if value is None or isinstance(value, int) else str(value) for value in row]


def asked(spark: Any, query: str) -> Answer:
    try:
        frame = spark.sql(query)
        rows = [as_text(tuple(row)) for row in frame.collect()]
    except PySparkException as error:
        return {"error": error.getCondition()}
    return {"schema": frame.schema.jsonValue(), "rows": rows}


def with_views(spark: Any, scale: str) -> Any:
    for name, path in tpcds_data.tables(scale).items():
        spark.read.parquet(str(path)).createOrReplaceTempView(name)
    return spark


def recorded() -> dict[str, Answer]:
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return dict(json.loads(line) for line in lines)


def schema_of(answer: Answer) -> StructType:
    return StructType.fromJson(answer["schema"])


def record(url: str) -> None:
    from pyspark.sql import SparkSession

    tpcds_data.generated(SCALE)
    spark = with_views(SparkSession.builder.remote(url).create(), SCALE)
    spark.conf.set("spark.sql.shuffle.partitions", "1")  # two hundred, of so little data, would take an hour
    lines = []
    for name, query in tpcds_data.queries(SCALE).items():
        lines.append(json.dumps([name, asked(spark, query)]) + "\n")
        print(name, flush=True)
    FILE.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    record(sys.argv[1])
