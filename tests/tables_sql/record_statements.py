"""Asks a running Spark for its answers to statements/*.sql: python record_statements.py sc://host:port [topic …]."""

import json
import sys
from collections.abc import Sequence

from pyspark.sql import SparkSession
from statements import DATABASE, TOPICS, all_answers, recorded


def record(url: str, topics: Sequence[str]) -> None:
    spark = SparkSession.builder.remote(url).create()
    for topic in topics:
        found = all_answers(spark, topic)
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in found)
        recorded(topic).write_text(f"[\n{lines}\n]\n")
    spark.sql("USE default").collect()
    spark.sql(f"DROP DATABASE IF EXISTS {DATABASE} CASCADE").collect()
    spark.stop()


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:] or TOPICS)
