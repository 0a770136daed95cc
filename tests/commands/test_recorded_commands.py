"""Every recorded session, step by step, through a real client on a server that has no Spark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.connect.session import SparkSession
from recorded_commands import HERE, SCRIPTS, Step, ask, read_steps

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings

GAPS = (HERE / "gaps.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    warehouse = tmp_path_factory.mktemp("commands") / "spark-warehouse"
    config = (("spark.sql.session.timeZone", "UTC"), ("spark.sql.shuffle.partitions", "4"))
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(warehouse), spark_config=config))
    yield server.url
    server.stop()


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_as_spark(script: Path, address: str) -> None:
    spark = SparkSession.builder.remote(address).create()
    differences = [found for step in read_steps(script) if (found := difference(spark, step, script.stem))]
    spark.stop()
    assert not differences, "\n".join(differences)


def difference(spark: Any, step: Step, script: str) -> str:
    answer, known = ask(spark, step.text), f"{script}: {step.text}" in GAPS
    if answer == step:
        return f"{script}: {step.text}\n  is right now: take it off gaps.txt" if known else ""
    return "" if known else f"{script}: {step.text}\n  want {step.line()[:700]}\n  got  {answer.line()[:700]}"
