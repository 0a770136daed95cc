"""Every reason for falling back is found, each with the expression it is about; nothing is executed."""

from pathlib import Path

import pytest

from twinspark.cli.explain import session_of
from twinspark.errors import SparkError
from twinspark.errors.marker import TOKEN
from twinspark.operations.explain import Explanation, explain_text
from twinspark.sessions.session import Session
from twinspark.sessions.settings import Settings


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return session_of(Settings(engine="duckdb", warehouse=str(tmp_path)))


def found(explained: Explanation) -> list[tuple[str, str]]:
    return [(each.cause.reason.code, each.where) for each in explained.reasons]


def test_functions_in_several_clauses(session: Session) -> None:
    text = (
        "select java_method('java.lang.Math', 'abs', id), from_avro(binary('a'), 'x') from range(3) "
        "where schema_of_avro('x') = 'a' order by reflect('java.lang.Math', 'abs', 1)"
    )
    assert {where for _, where in found(explain_text(session, text))} == {
        "schema_of_avro('x')",
        "java_method('java.lang.Math', 'abs', id)",
        "from_avro(binary('a'), 'x')",
        "reflect('java.lang.Math', 'abs', 1)",
    }


def test_options_in_subqueries_and_unions(session: Session) -> None:
    text = (
        "select * from (select from_csv('a', 'a int', map('sep', 'x')) c) "
        "union all select from_csv('b', 'a int', map('sep', 'y'))"
    )
    assert found(explain_text(session, text)) == [
        ("FUNCTION_OPTION", "from_csv('a', 'a int', map('sep', 'x'))"),
        ("FUNCTION_OPTION", "from_csv('b', 'a int', map('sep', 'y'))"),
    ]


def test_the_typed_plan_is_searched_too(session: Session) -> None:
    """Both windows can be read, and neither can be written."""
    text = "select sum(a) over (order by a range between b preceding and current row) from values (1, 2) t(a, b)"
    with pytest.raises(SparkError):
        explain_text(session, text)
    text = "select sentences('a b'), upper(sentences('c')[0][0]) from range(3)"
    assert [where for _, where in found(explain_text(session, text))] == ["sentences(a b, , )", "sentences(c, , )"]


def test_nothing_is_executed(session: Session) -> None:
    explain_text(session, "create table written as select 1 as a")
    explain_text(session, "create temp view seen as select 1 as a")
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_NOT_FOUND"):
        explain_text(session, "select * from written")
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_NOT_FOUND"):
        explain_text(session, "select * from seen")
    assert explain_text(session, "select 1/0 from range(3)").engine == "duckdb"


def test_the_token_of_the_error_channel_is_not_shown(session: Session) -> None:
    shown = "\n".join(explain_text(session, "select sort_array(collect_list(double(id))) from range(3)").lines())
    assert "== DuckDB SQL ==" in shown and TOKEN not in shown


def test_passes_and_reasons_at_run_time(session: Session) -> None:
    explained = explain_text(session, "select sort_array(array(double(id), 0d)) from range(3)")
    assert [each.reason.code for each in explained.at_run_time] == ["SIGNED_ZEROS"]
    names = [step.name for step in explain_text(session, "select id from range(9) order by id % 2").compiled[0].steps]
    assert names[:2] == ["typed plan", "follow_spark_order"]


@pytest.mark.parametrize("text", ["create temp view v as select 1", "show tables", "set a.b = 1"])
def test_statements(session: Session, text: str) -> None:
    assert (explain_text(session, text).engine, explain_text(session, text).reasons) == ("duckdb", ())


def test_a_statement_that_only_spark_runs(session: Session) -> None:
    explained = explain_text(session, "list jars")
    assert (explained.engine, explained.cause.reason.code) == ("none", "SQL_STATEMENT")


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("select (with c as (select t.a b) select max(b) from c) from values (1) t(a)", "duckdb"),
        ("select (with c as (select t.a b) select 'c') from values (1) t(a)", "none"),
    ],
)
def test_a_correlated_with_query_has_to_be_used(session: Session, text: str, engine: str) -> None:
    """A text that only contains its name is no use of it."""
    assert explain_text(session, text).engine == engine
