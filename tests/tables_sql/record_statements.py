"""Asks a running Spark for its answers to statements.sql: python record_statements.py sc://host:port."""

import json
import sys

from pyspark.sql import SparkSession
from statements import DATABASE, RECORDED, all_answers


def record(url: str) -> None:
    spark = SparkSession.builder.remote(url).create()
    spark.sql(f"DROP DATABASE IF EXISTS {DATABASE} CASCADE").collect()
    found = all_answers(spark)
    RECORDED.write_text("[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in found) + "\n]\n")
    spark.sql("USE default").collect()
    spark.sql(f"DROP DATABASE IF EXISTS {DATABASE} CASCADE").collect()
    spark.stop()


if __name__ == "__main__":
    record(sys.argv[1])
