"""Every recorded step of a session, through a real client on a server that has no Spark."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from message_kinds import members
from recorded_sessions import Recorded, asked, read_recorded
from session_steps import topics

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

RECORDED = {(step.topic, step.name): step for step in read_recorded()}
GAPS = (Path(__file__).parent / "gaps.txt").read_text().splitlines()
NOT_NATIVE = "TWINSPARK_NOT_NATIVE"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    config = (("spark.sql.session.timeZone", "UTC"), ("spark.sql.shuffle.partitions", "4"))
    warehouse = str(tmp_path_factory.mktemp("steps"))
    made = ConnectServer(Settings(engine="duckdb", warehouse=warehouse, spark_config=config))
    yield made
    made.stop()


def test_every_step_is_recorded() -> None:
    assert list(RECORDED) == [(topic, name) for topic, steps in topics() for name in steps]


@pytest.mark.parametrize(("topic", "steps"), list(topics()), ids=[topic for topic, _ in topics()])
def test_as_spark(
    topic: str, steps: dict[str, object], server: ConnectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")  # functions of PySpark ask for it
    differences = [found for step in asked(server.url, topic, steps, str(tmp_path)) if (found := difference(step))]
    assert not differences, "\n".join(differences)


def difference(step: Recorded) -> str:
    known, wanted = f"{step.topic}: {step.name}" in GAPS, RECORDED[step.topic, step.name]
    if step.condition == NOT_NATIVE:
        return "" if known else f"{step.topic}: {step.name}: no longer native: {step.parameters}"
    if known:
        return f"{step.topic}: {step.name}: native now, take it off gaps.txt"
    return "" if step == wanted else f"{step.name}\n  want {wanted.line()[:900]}\n  got  {step.line()[:900]}"


def test_kinds_are_of_the_protocol() -> None:
    assert {kind for step in RECORDED.values() for kind in step.kinds} <= members()
