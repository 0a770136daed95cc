"""Asks Spark what it makes of malformed records: python record_malformed.py sc://… writes recorded/malformed.json."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

sys.path.insert(0, str(Path(__file__).parent))

from malformed_cases import QUERIES, READS, Read

RECORDED = Path(__file__).parent / "recorded" / "malformed.json"


def answers(spark: SparkSession, read: Read, directory: Path) -> dict[str, Any]:
    """By the names of the queries: columns and rows, or the condition of the error."""
    file = directory / f"records.{read.format}"
    file.write_text(read.text)
    reader = spark.read.format(read.format).options(**read.options)
    frame = (reader.schema(read.schema) if read.schema else reader).load(str(file))
    frame.createOrReplaceTempView("rows")
    return {name: answer(spark, query) for name, query in QUERIES.items()}


def answer(spark: SparkSession, query: str) -> Any:
    try:
        found = spark.sql(query)
        return {"schema": found.schema.simpleString(), "rows": [list(row) for row in found.collect()]}
    except PySparkException as error:
        return {"error": error.getCondition()}


if __name__ == "__main__":
    spark = SparkSession.builder.remote(sys.argv[1]).create()
    with tempfile.TemporaryDirectory() as directory:
        said = {name: answers(spark, read, Path(directory)) for name, read in READS.items()}
    RECORDED.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    spark.stop()
