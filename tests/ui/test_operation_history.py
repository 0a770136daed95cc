"""The history of operations: what is recorded, how much, for whom, and that it survives a restart."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, ArithmeticException, UnsupportedOperationException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import NotAllowed, reasons
from twinspark.sessions.access.allowed_paths import allowed_paths
from twinspark.sessions.history.history import History
from twinspark.sessions.history.record import COLUMNS, Details, OperationRecord
from twinspark.sessions.history.store import Filter, Store, open_store
from twinspark.sessions.settings import Settings

Serve = Callable[..., ConnectServer]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    servers: list[ConnectServer] = []

    def start(**settings: Any) -> ConnectServer:
        servers.append(ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path / "warehouse"), **settings)))
        return servers[-1]

    yield start
    for each in servers:
        each.stop()


def client(server: ConnectServer, options: str = "") -> Any:
    address = server.url.replace("127.0.0.1", "localhost")
    return SparkSession.builder.remote(f"{address}/;{options}").create()


def newest(server: ConnectServer) -> tuple[OperationRecord, Details]:
    history, wanted = server.shared.watched.history, Filter()
    (record,) = history.page(wanted, 0, 1)
    found = history.find(record.operation_id, wanted)
    assert found is not None
    return found


def record(number: int, **columns: Any) -> OperationRecord:
    texts = dict.fromkeys(COLUMNS, "")
    given = {**texts, "operation_id": f"id{number}", "started": float(number), "seconds": 1.0, "progress": None}
    return OperationRecord(**{**given, "rows": number, "bytes": 0, **columns})


# ---- what is recorded


def test_a_query_is_recorded_with_its_plan(serve: Serve) -> None:
    server = serve()
    client(server, "user_id=ada").sql("SELECT id % 3 AS k, count(*) AS n FROM range(10) GROUP BY k").collect()
    record, details = newest(server)
    assert (record.user, record.state, record.engine, record.code) == ("ada", "SUCCEEDED", "duckdb", "NATIVE")
    assert record.statement.startswith("SELECT id % 3") and record.rows == 3 and record.bytes > 100
    assert "range" in details.sql.lower() and "Typed plan" in details.passes
    assert [each.name for each in details.nodes][-1] == "Range" and details.origin == "plan"
    assert all(each.rows is None for each in details.nodes)


def test_the_tag_requests_rows_and_time_of_every_operator(serve: Serve) -> None:
    server = serve()
    spark = client(server)
    spark.addTag("twinspark.profile")
    spark.range(1000).groupBy((F.col("id") % 7).alias("k")).count().collect()
    _, details = newest(server)
    assert details.origin == "profile" and len(details.nodes) >= 3
    assert 1000 in [each.rows for each in details.nodes] and 7 in [each.rows for each in details.nodes]
    assert all(each.seconds is not None for each in details.nodes)
    spark.clearTags()
    spark.range(5).collect()
    assert newest(server)[1].origin == "plan"


def test_errors_are_recorded_with_their_condition(serve: Serve) -> None:
    server = serve()
    spark = client(server)
    with pytest.raises(ArithmeticException):
        spark.sql("SELECT 1 / 0").collect()
    assert newest(server)[0].condition == "DIVIDE_BY_ZERO"
    with pytest.raises(AnalysisException):
        spark.sql("SELECT nope").collect()
    record, _ = newest(server)
    assert (record.state, record.condition) == ("FAILED", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION")
    assert "nope" in record.error


def test_what_only_spark_could_run_is_recorded_with_the_reason(serve: Serve) -> None:
    server = serve()
    with pytest.raises(UnsupportedOperationException):
        client(server).sql("SELECT from_csv('1', 'a int', map('locale', 'de'))").collect()
    record, details = newest(server)
    assert (record.state, record.engine, record.code) == ("REFUSED", "none", "FUNCTION_OPTION")
    assert "locale" in record.reason and details.instead == reasons.FUNCTION_OPTION.instead


def test_the_source_line_that_the_client_sends(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONNECT_DEBUG_CLIENT_CALL_STACK", "true")
    server = serve()
    client(server).range(3).collect()
    record, details = newest(server)
    assert "test_operation_history.py" in record.source
    assert details.stack[0] == record.source


def test_the_statement_of_a_dataframe_lists_its_relations(serve: Serve) -> None:
    server = serve()
    client(server).sql("SELECT 1 AS a").filter("a > 0").collect()
    assert newest(server)[0].statement == "filter ← sql: SELECT 1 AS a"


# ---- how much is kept, and where


def test_the_history_survives_a_restart(serve: Serve, tmp_path: Path) -> None:
    first = serve(history=100)
    client(first).sql("SELECT 41 + 1").collect()
    first.stop()
    second = serve(history=100)
    record, details = newest(second)
    assert record.statement == "SELECT 41 + 1" and details.sql
    rows = client(second).sql("SELECT statement, rows FROM system.runtime.operations WHERE rows = 1").collect()
    assert [tuple(row) for row in rows] == [("SELECT 41 + 1", 1)]
    file = tmp_path / "warehouse" / "twinspark" / ".history" / "operations.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_without_the_option_nothing_is_written(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    client(server).sql("SELECT 1").collect()
    assert newest(server)[0].statement == "SELECT 1"
    assert not (tmp_path / "warehouse").exists()


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "x.db"), 10)
    for start in range(0, 30, 7):
        store.add((record(number), None) for number in range(start, start + 7))
    kept = store.page(Filter(), 0, 100)
    assert [each.rows for each in kept] == list(range(34, 24, -1)) and store.count(Filter()) == 10


def test_a_file_that_is_no_database_is_put_aside(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    file.write_bytes(b"no database " * 1000)
    store = open_store(file, 10)
    store.add([(record(1), None)])
    assert store.count(Filter()) == 1 and file.with_suffix(".broken").exists()


def test_a_directory_that_cannot_be_made_leaves_the_history_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_store(tmp_path / "file" / "x.db", 10)
    store.add([(record(1), None)])
    assert store.count(Filter()) == 1


def test_two_servers_may_share_a_warehouse(tmp_path: Path) -> None:
    one, two = (Store(str(tmp_path / "x.db"), 100) for _ in range(2))
    one.add([(record(1), None)])
    two.add([(record(2), None)])
    assert one.count(Filter()) == two.count(Filter()) == 2


def test_a_closed_history_does_not_fail() -> None:
    history = History(Store)
    history.close()
    history.record(None)  # type: ignore[arg-type]


# ---- filters


def test_filters_select_the_same_rows_in_sql_and_python() -> None:
    many = [
        record(
            n,
            user=f"u{n % 2}",
            engine=("duckdb", "spark")[n % 3 == 0],
            state="FAILED" if n % 5 else "SUCCEEDED",
            code=f"C{n % 4}",
            session_id=f"s{n % 3}",
            statement=f"SELECT {n} %",
            tags="ui x" if n % 7 == 0 else "uix",
        )
        for n in range(200)
    ]
    store = Store(most=1000)
    store.add((each, None) for each in many)
    for wanted in (
        *(Filter(), Filter(user="u1"), Filter(engine="spark"), Filter(state="FAILED"), Filter(code="C2")),
        *(Filter(session="s1"), Filter(text="select 19"), Filter(text="100%"), Filter(without_tag="ui")),
        Filter(user="u0", engine="duckdb", text="1", state="FAILED"),
    ):
        expected = [each for each in reversed(many) if wanted.accepts(each)]
        assert store.page(wanted, 0, 1000) == expected, wanted
        assert store.count(wanted) == len(expected)
        assert store.page(wanted, 3, 4) == expected[3:7]


def test_reasons_are_ranked_by_time() -> None:
    store = Store()
    store.add([(record(n, engine="spark", code="A", seconds=1.0, reason="a"), None) for n in range(3)])
    store.add([(record(9, engine="spark", code="B", seconds=9.0, reason="b"), None)])
    found = [(each.code, each.count, each.seconds, each.reason) for each in store.reasons(Filter(engine="spark"))]
    assert found == [("B", 1, 9.0, "b"), ("A", 3, 3.0, "a")]


# ---- for whom


def test_named_users_see_only_their_own_operations(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("ada:secret-of-ada\nbob:secret-of-bob\n")
    server = serve(token_file=str(tmp_path / "tokens"))
    ada, bob = (client(server, f"token=secret-of-{name}") for name in ("ada", "bob"))
    ada.sql("SELECT 'of ada'").collect()
    bob.sql("SELECT 'of bob'").collect()
    query = "SELECT DISTINCT user FROM system.runtime.operations UNION SELECT user FROM system.runtime.sessions"
    assert [row.user for row in ada.sql(query).collect()] == ["ada"]
    assert [row.user for row in bob.sql(query).collect()] == ["bob"]
    assert ada.sql("SELECT sum(operations) n FROM system.runtime.reasons").collect()[0].n < 10


def test_the_tables_can_be_listed_and_described(serve: Serve) -> None:
    spark = client(serve())
    listed = [tuple(row) for row in spark.sql("SHOW TABLES IN system.runtime").collect()]
    assert listed == [("runtime", name, False) for name in ("operations", "reasons", "sessions")]
    assert [row.tableName for row in spark.sql("SHOW TABLES IN SYSTEM.runtime LIKE 's*'").collect()] == ["sessions"]
    assert [tuple(row) for row in spark.sql("SHOW NAMESPACES IN system").collect()] == [("runtime",)]
    described = [tuple(row) for row in spark.sql("DESCRIBE system.runtime.operations").collect()]
    fields = spark.table("system.runtime.operations").schema.fields
    assert described == [(field.name, field.dataType.simpleString(), None) for field in fields]
    columns = spark.sql("SHOW COLUMNS IN system.runtime.sessions").collect()
    assert [row.col_name for row in columns][:2] == ["session_id", "user"]


def test_without_named_users_everything_is_visible(serve: Serve) -> None:
    server = serve()
    client(server, "user_id=ada").sql("SELECT 1").collect()
    rows = client(server, "user_id=bob").sql("SELECT DISTINCT user FROM system.runtime.operations ORDER BY user")
    assert [row.user for row in rows.collect()] == ["ada", "bob"]


def test_a_catalog_of_that_name_has_precedence(serve: Serve, tmp_path: Path) -> None:
    spark = client(serve())
    spark.conf.set("spark.sql.catalog.system", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set("spark.sql.catalog.system.type", "hadoop")
    spark.conf.set("spark.sql.catalog.system.warehouse", str(tmp_path / "own"))
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.table("system.runtime.operations").collect()
    spark.sql("CREATE NAMESPACE system.runtime")
    spark.sql("CREATE TABLE system.runtime.operations AS SELECT 7 AS own")
    assert spark.table("system.runtime.operations").collect()[0].own == 7


def test_requests_may_not_name_the_file(tmp_path: Path) -> None:
    """It has the statements of all users; the warehouse around it is always allowed."""
    paths = allowed_paths([str(tmp_path / "data")], str(tmp_path / "warehouse"))
    assert paths is not None
    paths.check(f"{tmp_path}/warehouse/t/part-0.parquet")
    for path in (".history/operations.db", ".history", ".history/operations.db-wal", "x/../.history/operations.db"):
        with pytest.raises(NotAllowed):
            paths.check(f"{tmp_path}/warehouse/twinspark/{path}")
