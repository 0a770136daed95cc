"""Malformed records of JSON and CSV files are what Spark makes of them, whichever columns are asked for."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.connect.session import SparkSession

import twinspark

sys.path.insert(0, str(Path(__file__).parent))

from malformed_cases import READS
from record_malformed import RECORDED, answers

SAID: dict[str, Any] = json.loads(RECORDED.read_text())


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = twinspark.session(engine="duckdb")
    yield session
    session.stop()


@pytest.mark.parametrize("name", READS)
def test_malformed_records_are_as_spark_has_them(name: str, tmp_path: Path, spark: SparkSession) -> None:
    assert answers(spark, READS[name], tmp_path) == SAID[name]
