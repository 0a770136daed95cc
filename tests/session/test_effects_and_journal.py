"""What changes a session, and that it is replayed once to every new Spark."""

import pytest
from pyspark.sql.connect.proto import base_pb2

from twinspark.session.effects import change_of, makes_global_view
from twinspark.session.journal import Entry, Journal, entry_of
from twinspark.session.spark_state import CREATE_VIEW, view_name


def sql(text: str) -> base_pb2.Plan:
    plan = base_pb2.Plan()
    plan.command.sql_command.input.sql.query = text
    return plan


@pytest.mark.parametrize(
    "text",
    [
        "CREATE OR REPLACE TEMP VIEW v AS SELECT 1",
        "create global temporary view v as select 1",
        "-- a comment\n /* and another */ SET spark.sql.ansi.enabled = false",
        "USE db",
        "DROP VIEW IF EXISTS v",
        "DECLARE VARIABLE x INT",
        "ADD JAR '/x.jar'",
        "CREATE TEMPORARY FUNCTION f AS 'a.B'",
    ],
)
def test_session_statements_are_journalled(text: str) -> None:
    assert change_of(sql(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE t (a INT)",
        "DROP TABLE t",
        "SHOW TABLES",
        "WITH a AS (SELECT 1) SELECT * FROM a",
    ],
)
def test_what_a_catalog_keeps_is_not(text: str) -> None:
    assert change_of(sql(text)) is None


def test_commands_and_catalog_calls() -> None:
    view, written, database = base_pb2.Plan(), base_pb2.Plan(), base_pb2.Plan()
    view.command.create_dataframe_view.is_global = True
    written.command.write_operation.path = "/x"
    database.root.catalog.set_current_database.db_name = "d"
    assert change_of(view) and makes_global_view(view)
    assert change_of(written) is None
    assert change_of(database) and not makes_global_view(database)


def test_names_of_views_made_by_sql() -> None:
    found = CREATE_VIEW.match("create or replace global temp view `My``View` as select 1")
    assert found and view_name(found[2], bool(found[1])) == ("My`View", True)
    assert view_name("global_temp.v") == ("v", True)
    assert view_name("db.v") == ("v", False)


def test_every_generation_hears_every_entry_once_and_in_order() -> None:
    journal, heard = Journal(), []
    journal.record(entry_of("Config", b"a", "config a"))
    journal.record(entry_of("ExecutePlan", b"v", "view v", generation=1))
    journal.replay(1, lambda entry: heard.append(entry.what))
    journal.replay(1, lambda entry: heard.append(entry.what))
    assert heard == ["config a"]
    journal.replay(2, lambda entry: heard.append(entry.what))
    assert heard == ["config a", "config a", "view v"]


def test_a_loop_of_settings_stays_one_line() -> None:
    journal = Journal()
    for number in range(100):
        journal.record(Entry("Config", lambda number=number: (str(number).encode(),), "config a"))
    (entry,) = journal.entries()
    assert list(entry.requests()) == [b"99"]
