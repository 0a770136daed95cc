"""Texts of dates and times under spark.sql.legacy.timeParserPolicy; asks a Spark: old_patterns.py sc://host:port"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

RECORDED = Path(__file__).with_name("recorded_old_patterns.jsonl")
LOS_ANGELES = {"spark.sql.session.timeZone": "America/Los_Angeles"}
POLICY = "spark.sql.legacy.timeParserPolicy"
SESSIONS = (
    {POLICY: "LEGACY", "spark.sql.ansi.enabled": "true", **LOS_ANGELES},
    {POLICY: "legacy", "spark.sql.ansi.enabled": "false", **LOS_ANGELES},
    {POLICY: "EXCEPTION", "spark.sql.ansi.enabled": "false", **LOS_ANGELES},
)
TEXTS = (
    "values ('2020-01-02'), ('2020-1-2'), ('2020-01-02 10:11'), ('20200102'), ('2020-13-02'), ('x'), (''), (null) t(a)"
)
QUERIES = (
    f"select a, try_to_timestamp(a, 'yyyy-MM-dd'), try_to_date(a, 'yyyyMMdd') from {TEXTS}",
    f"select a, to_date(a, 'yyyy-MM-dd') d from {TEXTS} where a like '2020-_-_' or a is null",
    "select to_timestamp('2020-13-02', 'yyyy-MM-dd')",
    "select to_date('x', 'yyyy-MM-dd')",
    "select unix_timestamp('', 'yyyy-MM-dd')",
    "select unix_timestamp('2020-01-02 10:11:12'), to_unix_timestamp('02/01/2020', 'dd/MM/yyyy')",
    "select to_timestamp_ltz('2020-1-2', 'yyyy-MM-dd'), to_timestamp_ntz('2020-01-02', 'yyyy-MM-dd')",
    "select to_timestamp('2020-01-02 10:11:12.5', 'yyyy-MM-dd HH:mm:ss.SSS')",
    "select date_format(timestamp'2020-03-04 05:06:07.891234', 'yyyy-MM-dd HH:mm:ss.SSSSSS u F w E')",
    "select to_char(date'2020-03-04', 'EEEE, d MMMM yyyy'), from_unixtime(0, 'yyyy-MM-dd HH:mm:ss Z XXX')",
    "select cast(date'2020-03-04' as string), date'2020-03-04' || 'x', date'2020-03-04'",
    "select to_json(named_struct('a', 1)), from_json('{\"a\":1}', 'a int'), to_date('2020-1-2')",
    "select cast(d as string) s, date_format(d, 'yyyy-MM-dd') from values (date'1582-06-01'), (date'1000-01-01') t(d)",
)


def answer(spark: Any, query: str) -> list[Any]:
    try:
        asked = spark.sql(query)
        return [asked.schema.simpleString(), [[str(value) for value in row] for row in asked.collect()]]
    except PySparkException as refused:
        return [refused.getCondition(), refused.getMessageParameters()]


def answers(spark: Any) -> list[Any]:
    found = []
    for settings in SESSIONS:
        for key, value in settings.items():
            spark.conf.set(key, value)
        found += [[f"{settings[POLICY]} {settings['spark.sql.ansi.enabled']}: {q}", answer(spark, q)] for q in QUERIES]
    return found


if __name__ == "__main__":
    from pyspark.sql.connect.session import SparkSession

    logging.disable(logging.CRITICAL)
    asked = SparkSession.builder.remote(sys.argv[1]).create()
    RECORDED.write_text("".join(json.dumps(line) + "\n" for line in answers(asked)))
    asked.stop()
