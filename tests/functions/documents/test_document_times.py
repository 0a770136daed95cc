"""TIME in JSON, CSV and XML documents: as recorded from Spark."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from document_times import RECORDED, answers
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

CASES = [json.loads(line) for line in RECORDED.open()]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("document_times"))))
    spark = SparkSession.builder.remote(server.url).create()
    yield answers(spark)
    spark.stop()
    server.stop()


@pytest.mark.parametrize("at", range(len(CASES)), ids=[case[0] for case in CASES])
def test_as_spark(at: int, found: list[Any]) -> None:
    assert found[at] == CASES[at][1]
