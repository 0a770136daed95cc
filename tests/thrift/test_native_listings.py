"""The door over the embedded engine alone: tables, views and their listings without a JVM."""

from collections.abc import Iterator

import pytest

import twinspark.driver as driver
from twinspark.doors.thrift import Server
from twinspark.wire.thrift.protocol import HIVE_V10


@pytest.fixture
def port(native_door: Server) -> int:
    return native_door.port


@pytest.fixture
def cursor(port: int) -> Iterator[driver.Cursor]:
    with driver.connect("127.0.0.1", port, protocol=HIVE_V10) as connection, connection.cursor() as opened:
        yield opened


@pytest.fixture
def shop(cursor: driver.Cursor) -> driver.Cursor:
    for statement in (
        "create database if not exists shop",
        "create or replace table shop.orders (id bigint not null comment 'number', price decimal(10,2),"
        " tags array<string>) comment 'all of them'",
        "insert into shop.orders values (1, 9.50, array('a', null)), (2, null, null)",
        "create or replace temp view cheap as select id from shop.orders where price < 10",
    ):
        cursor.execute(statement)
    return cursor


def test_tables_and_views_are_listed(shop: driver.Cursor) -> None:
    nothing = (None,) * 5
    assert shop.list_metadata("GetTables", schemaName="shop", tableName="%").fetchall() == [
        ("", "shop", "orders", "TABLE", "all of them", *nothing),
        ("", None, "cheap", "VIEW", "", *nothing),
    ]
    assert shop.list_metadata("GetTables", tableName="orders", tableTypes=["VIEW"]).fetchall() == []
    assert ("shop", "") in shop.list_metadata("GetSchemas", schemaName="sh_p").fetchall()


def test_columns_are_listed(shop: driver.Cursor) -> None:
    rows = shop.list_metadata("GetColumns", schemaName="shop", tableName="orders").fetchall()
    assert [(*row[1:6], row[6], row[8], row[10], row[11], row[16], row[17]) for row in rows] == [
        ("shop", "orders", "id", -5, "BIGINT", 8, None, 0, "number", 1, "NO"),
        ("shop", "orders", "price", 3, "DECIMAL(10,2)", 8, 2, 1, "", 2, "YES"),
        ("shop", "orders", "tags", 2003, "ARRAY<STRING>", None, None, 1, "", 3, "YES"),
    ]


def test_functions_and_catalogs(port: int) -> None:
    with driver.connect("127.0.0.1", port) as connection, connection.cursor() as cursor:
        assert ("spark_catalog",) in cursor.list_metadata("GetCatalogs").fetchall()
        found = cursor.list_metadata("GetFunctions", schemaName="default", functionName="ab_").fetchall()
        assert [(row[1], row[2], row[5]) for row in found] == [
            ("default", "abs", "org.apache.spark.sql.catalyst.expressions.Abs")
        ]


def test_rows_come_back_with_their_types(shop: driver.Cursor) -> None:
    """DESCRIBE QUERY tells the types of a HIVE client's text, here as everywhere."""
    table = shop.execute("select * from shop.orders order by id").fetch_arrow_table()
    assert [str(field.type) for field in table.schema] == ["int64", "decimal128(10, 2)", "list<element: string>"]
    assert table["tags"].to_pylist() == [["a", None], None]
    assert shop.execute("select count(*) n from cheap").fetchall() == [(1,)]
