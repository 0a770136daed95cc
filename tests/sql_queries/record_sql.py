"""Asks a real Spark the queries of this folder again.  usage: record_sql.py sc://host:port [topic …]"""

from __future__ import annotations

import logging
import sys
from typing import Any

from pyspark.errors import PySparkException
from sql_answers import Answer, error_of, queries, rows_of, topics, write


def asked(spark: Any, sql: str) -> Answer:
    try:
        frame = spark.sql(sql)
        return rows_of(sql, frame.schema, frame.toArrow())
    except PySparkException as error:
        places = [(c.fragment(), c.startIndex(), c.stopIndex()) for c in error.getQueryContext() or []]
        if error.getCondition() is None:  # Java's own: its text is all there is
            return error_of(sql, "", {"message": str(error).partition("\n\nJVM stacktrace")[0]}, places)
        return error_of(sql, error.getCondition() or "", dict(error.getMessageParameters() or {}), places)


def main() -> None:
    from pyspark.sql import SparkSession

    logging.disable(logging.CRITICAL)  # the client logs every error it receives
    spark = SparkSession.builder.remote(sys.argv[1]).create()
    for topic in sys.argv[2:] or topics():
        write(topic, [asked(spark, sql) for sql in queries(topic)])


if __name__ == "__main__":
    main()
