"""Operators between dates, timestamps, intervals and everything else: types and errors as recorded from Spark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.connect.session import SparkSession
from time_operands import answer

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

RECORDED = [json.loads(line) for line in Path(__file__).with_name("recorded_time_operands.jsonl").open()]
AT_LEAST = 850  # of them are answered here; a number that may only grow


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("operands"))))
    spark = SparkSession.builder.remote(server.url).create()
    found = []
    for ansi in ("true", "false"):
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        found += [answer(spark, *case[1:4]) for case in RECORDED if case[0] == ansi]
    yield found
    spark.stop()
    server.stop()


def test_what_is_answered_is_as_spark_says(answers: list[Any]) -> None:
    known = [(case, ours) for case, ours in zip(RECORDED, answers, strict=True) if ours[0] != "TWINSPARK_NOT_NATIVE"]
    assert [(case, ours) for case, ours in known if case[4] != ours] == []
    assert len(known) >= AT_LEAST
