"""The plan cache: what is read once, and what must be read again."""

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table
from pyspark.sql import SparkSession
from pyspark.sql.connect.proto import relations_pb2

from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import SparkError
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.plans.plan_cache import PlanCache
from twinspark.sessions.plans.plan_keys import plan_key
from twinspark.sessions.plans.session_context import SessionContext
from twinspark.sessions.settings import Settings

ENGINE = NativeEngine()


@pytest.fixture
def duck_for_plans() -> Any:
    server = ConnectServer(Settings(engine="duckdb", metrics_port=0))
    session = SparkSession.builder.remote(server.url).create()
    yield server, session
    session.stop()
    server.stop()


def query(text: str) -> Any:
    return relations_pb2.Relation(sql=relations_pb2.SQL(query=text))


def surroundings(**facts: Any) -> SessionContext:
    known = {"config": {}, "settings": {}, "views": {}, "catalog": "spark_catalog", "database": "default"}
    return SessionContext(**{**known, "local_relations": bytes, "user": "", "session_id": "", **facts})


def answer(plans: PlanCache, text: str, **facts: Any) -> list[Any]:
    made = plans.read(query(text), surroundings(**facts), ENGINE.cursor())
    return [tuple(row.values()) for row in made.stream().read_all().to_pylist()]


def test_equal_bytes_are_read_once() -> None:
    plans = PlanCache()
    assert answer(plans, "select 1 + 1") == answer(plans, "select 1 + 1") == [(2,)]
    assert plans.hits == 1


def numbered(*numbers: int) -> Any:
    """A filter by a column of the frame below it, the frames numbered."""
    below, above, meant = numbers
    plan = relations_pb2.Relation(common=relations_pb2.RelationCommon(plan_id=above))
    plan.filter.input.CopyFrom(query("select true as x"))
    plan.filter.input.common.plan_id = below
    plan.filter.condition.unresolved_attribute.unparsed_identifier = "x"
    plan.filter.condition.unresolved_attribute.plan_id = meant
    return plan


def test_a_frame_that_is_built_again_has_other_numbers() -> None:
    plans = PlanCache()
    for numbers in ((1, 2, 1), (7, 9, 7)):
        plans.read(numbered(*numbers), surroundings(), ENGINE.cursor())
    assert plans.hits == 1
    assert plan_key(numbered(1, 2, 1)) != plan_key(numbered(1, 2, 2))


def test_settings_are_part_of_the_meaning() -> None:
    plans = PlanCache()
    answer(plans, "select 1")
    settings = {"spark.sql.session.timeZone": "Europe/Paris"}
    answer(plans, "select 1", config=settings, settings=settings)
    assert plans.hits == 0


def test_a_view_that_changed_is_read_again() -> None:
    plans = PlanCache()
    one, two = query("select 1 as x"), query("select 2 as x")
    assert answer(plans, "select x from v", views={("v",): one}) == [(1,)]
    assert answer(plans, "select x from v", views={("v",): one}) == [(1,)]
    assert answer(plans, "select x from v", views={("v",): two}) == [(2,)]
    assert plans.hits == 1


def test_sessions_with_views_of_one_name_do_not_evict_each_other() -> None:
    plans = PlanCache()
    views = {name: {("v",): query(f"select '{name}' as x")} for name in ("first", "second")}
    for _ in range(3):
        for name in views:
            assert answer(plans, "select x from v", views=views[name], session_id=name) == [(name,)]
    assert plans.hits == 4


def test_files_are_looked_at_and_only_read_again_when_they_changed(tmp_path: Path) -> None:
    plans, files = PlanCache(), tmp_path / "files"
    files.mkdir()
    source = relations_pb2.Read.DataSource(format="parquet", paths=[str(files)])
    facts = {"views": {("v",): relations_pb2.Relation(read=relations_pb2.Read(data_source=source))}}
    write_table(pa.table({"x": [1]}), files / "a.parquet")
    assert answer(plans, "select * from v", **facts) == answer(plans, "select * from v", **facts) == [(1,)]
    assert plans.hits == 1
    write_table(pa.table({"y": ["new"], "z": [2]}), files / "a.parquet")
    assert answer(plans, "select * from v", **facts) == [("new", 2)]
    write_table(pa.table({"y": ["more"], "z": [3]}), files / "b.parquet")
    assert sorted(answer(plans, "select * from v", **facts)) == [("more", 3), ("new", 2)]
    assert plans.hits == 1
    shutil.rmtree(files)
    with pytest.raises(SparkError, match="PATH_NOT_FOUND"):
        answer(plans, "select * from v", **facts)


@pytest.mark.parametrize("text", ["select current_timestamp()", "select rand(1)", "select (select rand(1))"])
def test_time_and_chance_are_read_again(text: str) -> None:
    plans = PlanCache()
    for _ in range(2):
        plans.read(query(text), surroundings(), ENGINE.cursor())
    assert plans.hits == 0


def test_only_so_many_are_kept() -> None:
    plans = PlanCache(most=2)
    for text in ("select 1", "select 2", "select 3", "select 1"):
        answer(plans, text)
    assert plans.hits == 0
    answer(plans, "select 3")
    assert plans.hits == 1


def test_schema_and_rows_of_one_frame_are_read_once(duck_for_plans: Any) -> None:
    server, session = duck_for_plans
    frame = session.range(10).filter("id > 3")
    before = server.sessions.shared.plans.hits
    assert frame.schema.names == ["id"]
    assert frame.count() == 6
    assert len(frame.collect()) == 6
    assert server.sessions.shared.plans.hits > before
