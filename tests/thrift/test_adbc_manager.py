"""The driver through `adbc_driver_manager`, which nobody here wrote: its own DB-API, its errors, its listings."""

import threading
import uuid
from collections.abc import Iterator
from typing import Any

import adbc_driver_manager
import pandas
import pyarrow as pa
import pytest
from zoo import whole_query

import twinspark.driver.adbc as adbc
from twinspark.doors.thrift import Server
from twinspark.driver import ProgrammingError
from twinspark.driver.adbc.database import Options
from twinspark.driver.adbc.ingest import Ingest

pytestmark = pytest.mark.spark
UTC = {"twinspark.configuration.spark.sql.session.timeZone": "UTC"}


@pytest.fixture
def connection(door: Server) -> Iterator[Any]:
    with adbc.connect(f"thrift+http://u:p@127.0.0.1:{door.port}/default", UTC) as opened:
        yield opened


def test_results_are_those_of_spark_connect(connection: Any, reference: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(whole_query())
        assert cursor.fetch_arrow_table().equals(reference(whole_query()))


@pytest.mark.parametrize("scheme", ["thrift", "thrift+binary"])
def test_other_transports(scheme: str, door: Server) -> None:
    with adbc.connect(f"{scheme}://127.0.0.1:{door.port}") as opened, opened.cursor() as cursor:
        cursor.execute("select id from range(250000)")
        assert sum(batch.num_rows for batch in cursor.fetch_record_batch()) == 250_000


def test_parameters_and_pandas(connection: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("select ? + 1 a, ? b", (41, "it's"))
        assert cursor.fetchall() == [(42, "it's")]
        assert cursor.adbc_execute_schema("select 1 a, 'x' b").names == ["a", "b"]
    frame = pandas.read_sql("select id, cast(id as string) s from range(3)", connection)
    assert frame.to_dict("list") == {"id": [0, 1, 2], "s": ["0", "1", "2"]}


def test_errors_carry_sqlstate_and_kind(connection: Any) -> None:
    with connection.cursor() as cursor:
        with pytest.raises(adbc_driver_manager.DataError, match="DIVIDE_BY_ZERO") as divided:
            cursor.execute("select 1/0")
        assert divided.value.sqlstate == "22012"
        with pytest.raises(adbc_driver_manager.ProgrammingError, match="PARSE_SYNTAX_ERROR") as parsed:
            cursor.execute("selec 1")
        assert parsed.value.sqlstate == "42601"


def test_cancel(connection: Any) -> None:
    with connection.cursor() as cursor:
        threading.Timer(1, cursor.adbc_cancel).start()
        with pytest.raises(adbc_driver_manager.OperationalError) as cancelled:
            cursor.execute("select count(*) from range(30000000000) where id % 7 = 3")
        assert cancelled.value.status_code == adbc_driver_manager.AdbcStatusCode.CANCELLED


def test_what_there_is(connection: Any) -> None:
    assert connection.adbc_get_info()["vendor_version"] == "4.2.1"
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
    with connection.cursor() as cursor:
        cursor.execute("create or replace temp view adbc_listed as select 1 x, 'a' y")
    assert connection.adbc_get_table_schema("adbc_listed").names == ["x", "y"]
    found = connection.adbc_get_objects(depth="all", table_name_filter="adbc_listed").read_all().to_pylist()
    tables = [
        table for catalog in found for schema in catalog["catalog_db_schemas"] for table in schema["db_schema_tables"]
    ]
    assert [table["table_name"] for table in tables] == ["adbc_listed"]
    assert [column["column_name"] for column in tables[0]["table_columns"]] == ["x", "y"]
    assert connection.adbc_current_db_schema == "default"


def test_ingest(connection: Any) -> None:
    rows = pa.table({"a": [1, 2, None], "s": ["x", "y'", None], "d": pa.array([1.5, None, -0.0])})
    name = f"ingested_{uuid.uuid4().hex[:8]}"
    with connection.cursor() as cursor:
        assert cursor.adbc_ingest(name, rows) == 3
        assert cursor.adbc_ingest(name, rows.slice(0, 1), mode="append") == 1
        cursor.execute(f"select * from {name} order by a nulls last, s")
        assert cursor.fetchall() == [(1, "x", 1.5), (1, "x", 1.5), (2, "y'", None), (None, None, -0.0)]
        cursor.execute(f"drop table {name}")


def test_options_become_arguments() -> None:
    given = {
        "uri": "thrift+https://a%40b:s%3Ac@h:1/db?token=x&fetch_rows=5",
        "username": "me",
        "twinspark.timeout": "2.5",
    }
    assert Options({**given, **UTC}).arguments() == {
        "transport": "http", "host": "h", "port": 1, "user": "me", "password": "s:c", "database": "db", "tls": True,
        "token": "x", "fetch_rows": 5, "timeout": 2.5, "configuration": {"spark.sql.session.timeZone": "UTC"},
    }  # fmt: skip
    with pytest.raises(ProgrammingError, match="unknown scheme"):
        Options({"uri": "mysql://h"}).arguments()


def test_ingest_modes_are_statements() -> None:
    schema = pa.schema([("a b", pa.int32()), ("l", pa.list_(pa.string())), ("big", pa.large_string())])
    options = {"adbc.ingest.target_table": "t", "adbc.ingest.target_db_schema": "s"}
    columns = "(`a b` INT, `l` ARRAY<STRING>, `big` STRING)"
    expected = {
        "create": [f"CREATE TABLE `s`.`t` {columns}"],
        "append": [],
        "replace": ["DROP TABLE IF EXISTS `s`.`t`", f"CREATE TABLE `s`.`t` {columns}"],
        "create_append": [f"CREATE TABLE IF NOT EXISTS `s`.`t` {columns}"],
    }
    for mode, statements in expected.items():
        found = Ingest.of({**options, "adbc.ingest.mode": f"adbc.ingest.mode.{mode}"})
        assert found is not None and list(found.preparation(schema)) == statements
