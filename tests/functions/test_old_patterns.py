"""Texts of dates and times under spark.sql.legacy.timeParserPolicy: as recorded from Spark, or left to it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from old_patterns import RECORDED, answers
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

CASES = [json.loads(line) for line in RECORDED.open()]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("old_patterns"))))
    spark = SparkSession.builder.remote(server.url).create()
    yield answers(spark)
    spark.stop()
    server.stop()


@pytest.mark.parametrize("at", range(len(CASES)), ids=[case[0] for case in CASES])
def test_as_spark(at: int, found: list[Any]) -> None:
    question, answer = CASES[at]
    if str(answer[0]).startswith("INCONSISTENT_BEHAVIOR"):  # the words of that complaint are left to Spark
        assert found[at][1][0] == "TWINSPARK_NOT_NATIVE"
    else:
        assert found[at] == [question, answer]
