"""Python functions without a JVM answer what Spark answered: schemas, rows, and the exceptions of users' functions."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from function_cases import CASES
from pyspark.errors import UnsupportedOperationException
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.functions import udf
from record_functions import RECORDED, answer_of

from twinspark.doors.connect.server import ConnectServer

ANSWERS = json.loads(RECORDED.read_text())


@pytest.fixture(scope="module")
def session(native_functions_server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(native_functions_server.url).create()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    yield session
    session.stop()


@pytest.fixture
def native(session: Any) -> Any:
    SparkSession._active_session.session = session  # PySpark asks the active session for the types of functions
    return session


def test_every_case_is_recorded() -> None:
    assert sorted(ANSWERS) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_as_recorded(name: str, native: Any) -> None:
    assert answer_of(CASES[name], native) == ANSWERS[name]


def test_a_function_that_asks_for_its_task_falls_back(native: Any) -> None:
    """Rows are divided into tasks for maps only."""

    def partition(_: Any) -> int:
        from pyspark import TaskContext

        return TaskContext.get().partitionId()  # type: ignore[union-attr]

    with pytest.raises(UnsupportedOperationException, match="task context"):
        native.range(0, 4, 1, 2).select(udf(partition, "int")("id")).collect()
