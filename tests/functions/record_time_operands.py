"""Asks a running Spark: python record_time_operands.py sc://host:port"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from time_operands import answer, pairs


def record(url: str) -> None:
    spark = SparkSession.builder.remote(url).create()
    lines = []
    for ansi in ("true", "false"):
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        lines += [json.dumps([ansi, *pair, answer(spark, *pair)]) for pair in pairs()]
    (Path(__file__).parent / "recorded_time_operands.jsonl").write_text("\n".join(lines) + "\n")
    spark.stop()


if __name__ == "__main__":
    record(sys.argv[1])
