"""TIME in JSON, CSV and XML documents; asks a Spark: document_times.py sc://host:port"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

RECORDED = Path(__file__).with_name("recorded_document_times.jsonl")
QUERIES = tuple(Path(__file__).with_name("document_times.sql").read_text().splitlines())


def answer(spark: Any, query: str) -> list[Any]:
    try:
        frame = spark.sql(query)
        fields = [[f.name, f.dataType.simpleString(), f.nullable] for f in frame.schema.fields]
        return [fields, sorted(map(str, frame.collect()))]
    except PySparkException as error:
        return [error.getCondition(), dict(sorted((error.getMessageParameters() or {}).items()))]


def answers(spark: Any) -> list[list[Any]]:
    spark.conf.set("spark.sql.timeType.enabled", "true")
    return [answer(spark, query) for query in QUERIES]


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    logging.disable(logging.CRITICAL)
    asked = answers(SparkSession.builder.remote(sys.argv[1]).create())
    lines = [json.dumps(pair) for pair in zip(QUERIES, asked, strict=True)]
    RECORDED.write_text("".join(f"{line}\n" for line in lines))
