"""Times of day that come and go by Connect, and what Spark refuses where spark.sql.timeType.enabled is off."""

import datetime as dt
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import types as t
from pyspark.sql.connect.proto import relations_pb2

from tools.cases.connect import Connection, ServerError, sql_relation
from tools.replay.server import server
from twinspark.errors import NotNative
from twinspark.tables.files.write import FileWrite, check

TYPE = "spark.sql.timeType.enabled"
TIMES = [dt.time(1, 2, 3, 456789), None, dt.time(23, 59, 59, 999999), dt.time(0, 0)]
# Recorded from Spark 4.2.1 with the type off: these are refused,
REFUSED = [
    "SELECT time'12:00'",
    "SELECT array(time'12:00')",
    "SELECT hour(time'12:00')",
    "SELECT extract(HOUR FROM time'12:00')",
    "SELECT make_time(1, 2, 3)",
    "SELECT try_to_time('x')",
    "SELECT cast('12:00' AS time)",
    "SELECT cast(array('12:00') AS array<time>)",
    "SELECT cast(NULL AS time)",
    "SELECT time'12:00' - time'11:00'",
    "SELECT time'12:00' + INTERVAL '1' HOUR",
]
# and these are not.
ANSWERED = [
    ("SELECT time'12:00' < time'13:00'", True),
    ("SELECT hash(time'12:00')", -1984942870),
    ("SELECT cast(time'12:00' AS string)", "12:00:00"),
    ("SELECT cast(time'12:00' AS int)", 43200),
    ("SELECT size(array(time'12:00'))", 1),
    ("SELECT length(cast(current_time(0) AS string))", 8),
    ("SELECT max(x) IS NULL FROM VALUES (time'12:00') AS rows(x)", False),
]


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with server() as remote, Connection(remote) as opened:
        yield opened


@pytest.fixture
def without(connection: Connection) -> Iterator[Connection]:
    connection.configure({TYPE: "false"})
    yield connection
    connection.configure({TYPE: "true"})


def sent(schema: str | None) -> relations_pb2.Relation:
    rows = pa.table({"a": pa.array(TIMES, pa.time64("us")).cast(pa.time64("ns"))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    relation = relations_pb2.Relation()
    relation.local_relation.data = sink.getvalue().to_pybytes()
    if schema:
        relation.local_relation.schema = schema
    return relation


def test_rows_of_times_come_back(connection: Connection) -> None:
    found = connection.execute(sent(None))
    assert found.schema == t.StructType([t.StructField("a", t.TimeType(6))])
    assert found.rows.schema.field("a").type == pa.time64("ns")
    assert found.rows.column("a").to_pylist() == TIMES


def test_rows_under_a_shorter_type_are_cut_off(connection: Connection) -> None:
    found = connection.execute(sent("a time(3)"))
    assert found.schema.fields[0].dataType == t.TimeType(3)
    cut = [time and time.replace(microsecond=time.microsecond // 1000 * 1000) for time in TIMES]
    assert found.rows.column("a").to_pylist() == cut


def test_times_inside_others(connection: Connection) -> None:
    found = connection.execute(
        sql_relation("SELECT array(time'1:02') a, struct(time'3:04' AS t) b, map('k', time'5:06') c")
    )
    assert found.rows.to_pylist() == [{"a": [dt.time(1, 2)], "b": {"t": dt.time(3, 4)}, "c": [("k", dt.time(5, 6))]}]


def test_times_are_shown(connection: Connection) -> None:
    relation = relations_pb2.Relation()
    relation.show_string.input.CopyFrom(sent(None))
    relation.show_string.num_rows, relation.show_string.truncate = 2, 20
    shown = connection.execute(relation).rows.column(0)[0].as_py()
    assert shown.splitlines()[3:5] == ["|01:02:03.456789|", "|           NULL|"]


@pytest.mark.parametrize("query", REFUSED)
def test_refused_where_the_type_is_off(query: str, without: Connection) -> None:
    with pytest.raises(ServerError) as refused:
        without.execute(sql_relation(query))
    assert refused.value.condition == "UNSUPPORTED_TIME_TYPE"


def test_constants_are_typed_where_the_type_is_off(without: Connection) -> None:
    assert without.analyze(sql_relation("SELECT time'12:00' AS a")).fields[0].dataType == t.TimeType(6)


@pytest.mark.parametrize(("query", "expected"), ANSWERED)
def test_answered_where_the_type_is_off(query: str, expected: object, without: Connection) -> None:
    assert without.execute(sql_relation(query)).rows.column(0)[0].as_py() == expected


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_files_of_times_are_written_by_spark(format: str) -> None:
    """In DuckDB they are numbers; Spark's files hold times."""
    schema = t.StructType([t.StructField("a", t.ArrayType(t.TimeType(6)))])
    with pytest.raises(NotNative, match="variants or TIME"):
        check(FileWrite("SELECT [1]", format, "nowhere", schema))


@pytest.mark.parametrize(
    ("word", "name", "marked"),  # recorded from Spark 4.2.1
    [
        ("current_time", "current_time(6)", False),
        ("current_time()", "current_time(6)", True),
        ("current_date", "current_date()", False),
        ("user", "current_user()", False),
        ("session_user", "current_user()", False),
        ("session_user()", "session_user()", True),
        ("current_path", "current_path()", True),
    ],
)
def test_words_without_brackets(word: str, name: str, marked: bool, connection: Connection) -> None:
    field = connection.analyze(sql_relation(f"SELECT {word}")).fields[0]
    assert (field.name, "__autoGeneratedAlias" in (field.metadata or {})) == (name, marked)
