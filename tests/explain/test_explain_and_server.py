"""`explain` and a real server agree about every recorded plan, query and command.

Everyday a part of them is asked; `make explain-check` asks all, on a server without Spark and on one with it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from explained_session import Served
from pyspark.sql.connect.proto import base_pb2
from recorded_commands import SCRIPTS, ask, read_steps
from recorded_plans import FILES, ORDERS, PARTITIONS, read
from sql_answers import recorded, topics

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

ALL = os.environ.get("TWINSPARK_TEST_EXPLAIN") == "all"
EVERY, EVERY_ON_SPARK = (1, 1) if ALL else (4, 60)
PLANS = [(case.name, case.message()) for path in (*FILES.values(), ORDERS, PARTITIONS) for case in read(path)]


def sql_plan(text: str) -> base_pb2.Plan:
    plan = base_pb2.Plan()
    plan.root.sql.query = text
    return plan


QUERIES = [(answer.sql, sql_plan(answer.sql)) for topic in topics() for answer in recorded(topic)]
CASES = [*PLANS, *QUERIES]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    config = (("spark.sql.session.timeZone", "UTC"), ("spark.sql.shuffle.partitions", "4"))
    warehouse = str(tmp_path_factory.mktemp("explained"))
    server = ConnectServer(Settings(engine="duckdb", spark_master="local[2]", warehouse=warehouse, spark_config=config))
    yield server
    server.stop()


@pytest.fixture
def served(server: ConnectServer) -> Iterator[Served]:
    served = Served(server)
    yield served
    served.close()


def differences(served: Served, cases: list[tuple[str, base_pb2.Plan]]) -> list[str]:
    return [f"{name}:\n  {found}" for name, plan in cases if (found := served.difference(plan))]


def test_plans_and_queries(served: Served) -> None:
    found = differences(served, CASES[::EVERY])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("script", SCRIPTS if ALL else SCRIPTS[::4], ids=lambda script: script.stem)
def test_commands(script: Path, served: Served) -> None:
    """Statement by statement: what one changes, the next sees."""
    found = []
    for step in read_steps(script):
        if step.text.startswith(">>> "):
            ask(served.spark, step.text)
        elif difference := difference_of_text(served, step.text):
            found.append(f"{step.text}:\n  {difference}")
    assert not found, "\n".join(found)


def difference_of_text(served: Served, text: str) -> str:
    plan = base_pb2.Plan()
    plan.command.sql_command.input.sql.query = text
    return served.difference(plan)


@pytest.mark.spark
def test_on_spark(auto_server: ConnectServer) -> None:
    served = Served(auto_server)
    found = differences(served, CASES[::EVERY_ON_SPARK])
    served.close()
    assert not found, "\n".join(found)
