"""What changes a session, and that it is replayed once to every new Spark."""

import pytest
from pyspark.sql.connect.proto import base_pb2

from twinspark.read.sql import tree
from twinspark.sessions.effects import EFFECTS, Definition, Effect, effects_of_text
from twinspark.sessions.journal import Entry, Journal, entry_of
from twinspark.sessions.operation import PlanRequest
from twinspark.sessions.plan_effects import change_of, makes_global_view, makes_tables, may_run_twice


def asked(plan: base_pb2.Plan) -> PlanRequest:
    return PlanRequest(base_pb2.ExecutePlanRequest(plan=plan), plan, b"", "o")


def sql(text: str) -> PlanRequest:
    plan = base_pb2.Plan()
    plan.command.sql_command.input.sql.query = text
    return asked(plan)


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
        "DROP TEMP FUNCTION f",
        "ALTER VIEW v RENAME TO w",
        "CACHE TABLE t",
        "CREATE TEMP VIEW v AS SELECT a FROM t OPTIMIZE FOR SPEED",
        "DROP VIEW v IN A HURRY",
        "SET VAR a = ${spark.unknown}",
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
    assert change_of(asked(view)) and makes_global_view(asked(view))
    assert change_of(asked(written)) is None
    assert change_of(asked(database)) and not makes_global_view(asked(database))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", True),
        ("-- c\n(select 1)", True),
        ("with a as (select 1) select * from a", True),
        ("SET a = b", True),
        ("create temp view v as select 1", True),
        ("INSERT INTO t VALUES (1)", False),
        ("FROM t INSERT INTO u SELECT *", False),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", False),
        ("CREATE TABLE t AS SELECT 1", False),
        ("MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE", False),
        ("BEGIN INSERT INTO t VALUES (1); END", False),
        ("WITH a AS (SELECT 1) DELETE FROM t WHERE b IN (SELECT * FROM a)", False),
        ("SELECT 'INSERT'", True),
        ("EXPLAIN INSERT INTO t VALUES (1)", True),
        ("OPTIMIZE t", False),
    ],
)
def test_what_may_have_written_is_not_sent_to_a_second_spark(text: str, expected: bool) -> None:
    root = base_pb2.Plan()
    root.root.sql.query = text
    assert may_run_twice(sql(text)) is expected
    assert may_run_twice(asked(root)) is (expected and change_of(sql(text)) is None)


def test_plans_without_sql_that_may_run_twice() -> None:
    read, written, created, listed = (base_pb2.Plan() for _ in range(4))
    read.root.range.end = 3
    written.command.write_operation.path = "/x"
    created.root.catalog.create_table.table_name = "t"
    listed.root.catalog.list_tables.SetInParent()
    assert [may_run_twice(asked(each)) for each in (read, written, created, listed)] == [True, False, False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE t (a INT)", True),
        ("CREATE VIEW v AS SELECT 'a TEMPORARY thing'", True),
        ("CREATE TEMPORARY VIEW v AS SELECT 1", False),
        ("CREATE TABLE t SHALLOW CLONE u", True),
        ("EXECUTE IMMEDIATE 'CREATE TABLE t (a INT)'", True),
        ("INSERT INTO t VALUES (1)", False),
    ],
)
def test_what_may_leave_tables_on_spark(text: str, expected: bool) -> None:
    assert makes_tables(sql(text)) is expected


@pytest.mark.parametrize("end", ["", " THAT DOES NOT PARSE"])
@pytest.mark.parametrize(
    ("text", "definitions"),
    [
        (
            "create or replace global temp view `My``View` as select 1 as a",
            [Definition("CREATE", "VIEW", ("My`View",), True, True)],
        ),
        ("/* c */ DROP VIEW IF EXISTS data.v", [Definition("DROP", "VIEW", ("data", "v"))]),
        ("DROP TABLE t", [Definition("DROP", "TABLE", ("t",))]),
        ("DROP TEMPORARY FUNCTION IF EXISTS f", [Definition("DROP", "FUNCTION", ("f",), True)]),
        ("ALTER VIEW a.v RENAME TO w", [Definition("ALTER", "VIEW", ("a", "v")), Definition("ALTER", "VIEW", ("w",))]),
        (
            "DECLARE OR REPLACE x, `y` INT DEFAULT 1",
            [Definition("CREATE", "VARIABLE", ("x",)), Definition("CREATE", "VARIABLE", ("y",))],
        ),
        ("SELECT 1 AS a", []),
    ],
)
def test_names_that_statements_define(text: str, end: str, definitions: list[Definition]) -> None:
    assert list(effects_of_text(text + end, {}).definitions) == definitions


def test_global_views_are_named_with_or_without_their_database() -> None:
    assert Definition("DROP", "VIEW", ("global_temp", "v")).view == ("v", True)
    assert Definition("DROP", "VIEW", ("db", "v")).view == ("v", False)


def test_long_texts_are_classified_by_their_first_keywords() -> None:
    values = ", ".join("(1)" for _ in range(30_000))
    assert effects_of_text(f"INSERT INTO t VALUES {values}", {}).effect is Effect.ROWS
    found = effects_of_text(f"CREATE TEMP VIEW v AS VALUES {values}", {})
    assert (found.effect, found.definitions) == (
        Effect.SESSION | Effect.ROWS,
        (Definition("CREATE", "VIEW", ("v",), True),),
    )


def test_every_statement_that_shows_or_describes_only_reads() -> None:
    kinds = [each for each in tree.Command.__subclasses__() if each.__name__.startswith(("Show", "Describe"))]
    assert kinds and all(EFFECTS.get(getattr(tree, each.__name__)) is Effect.READS for each in kinds)


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
