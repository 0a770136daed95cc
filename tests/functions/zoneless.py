"""Timestamps made and read where the session's timestamps have no zone; asks a Spark: zoneless.py sc://host:port"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

RECORDED = Path(__file__).with_name("recorded_zoneless.jsonl")
SETTINGS = {
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.session.timeZone": "America/Los_Angeles",
}
QUERIES = (
    "select make_timestamp(2021, 7, 11, 6, 30, 45.678), make_timestamp(1, 1, 1, 1, 1, 60)",
    "select make_timestamp(1, 1, 1, 1, 1, null)",
    "select make_timestamp(1, 1, 1, 1, 1, 61)",
    "select make_timestamp(2021, 13, 1, 1, 1, 1)",
    "select try_make_timestamp(2021, 13, 1, 1, 1, 1), try_make_timestamp(2021, 1, 1, 1, 1, 1)",
    "select make_timestamp(2021, 3, 14, 2, 30, 0)",
    "select make_timestamp(a, 1, 1, 1, 1, b) from values (2020, 1.5), (null, 2), (2021, null) v(a, b)",
    "select make_timestamp(2021, 7, 11, 6, 30, 45.678, 'CET'), make_timestamp(2021, 3, 14, 2, 30, 0, 'UTC')",
    "select try_make_timestamp(2021, 7, 11, 6, 30, 45.678, 'CET'), try_make_timestamp(2021, 17, 1, 1, 1, 1, 'UTC')",
    "select make_timestamp(2021, 7, 11, 6, 30, 45.678, z) from values ('UTC'), (null) v(z)",
    "select make_timestamp(date'2021-07-11'), make_timestamp(date'2021-07-11', time'06:30:45.678')",
    "select make_timestamp(date'2021-07-11', time'06:30:45.678', 'PST'), make_timestamp(null, null)",
    "select make_timestamp_ltz(2021, 7, 11, 6, 30, 45.678, 'CET'), make_timestamp_ntz(2021, 7, 11, 6, 30, 45.678)",
    "select to_timestamp(null), to_timestamp('2016-12-31 00:12:00'), to_timestamp('2016-12-31', 'yyyy-MM-dd')",
    "select to_timestamp('x')",
    "select to_timestamp('2019-10-06 10:11:12Z'), to_timestamp('2019-10-06T10:11:12+05:00')",
    "select try_to_timestamp('x'), try_to_timestamp('2019-10-06 10:11:12Z'), try_to_timestamp('2019', 'yyyy-MM-dd')",
    "select to_timestamp(date'2020-01-01'), to_timestamp(timestamp_ltz'2020-01-01 01:00:00')",
    "select to_timestamp(s), to_timestamp(s, 'yyyy-MM-dd HH:mm:ss') from values ('2020-01-01 10:00:00'), (null) v(s)",
)


def answer(spark: Any, query: str) -> list[Any]:
    try:
        frame = spark.sql(query)
        fields = [[f.name, f.dataType.simpleString(), f.nullable] for f in frame.schema.fields]
        names = [f"c{index}" for index in range(len(fields))]
        texts = frame.toDF(*names).selectExpr(*(f"cast({name} as string)" for name in names))
        return [fields, sorted(map(list, texts.collect()), key=str)]
    except PySparkException as error:
        return [error.getCondition(), dict(sorted((error.getMessageParameters() or {}).items()))]


def answers(spark: Any) -> list[list[Any]]:
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    return [answer(spark, query) for query in QUERIES]


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    logging.disable(logging.CRITICAL)
    asked = SparkSession.builder.remote(sys.argv[1]).create()
    lines = [json.dumps([query, found]) for query, found in zip(QUERIES, answers(asked), strict=True)]
    RECORDED.write_text("\n".join(lines) + "\n")
    asked.stop()
