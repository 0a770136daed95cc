"""Tables describe themselves in Spark's words (recorded for file tables; DescribeTableExec's layout for the rest)."""

from pathlib import Path

import pytest
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType, TimestampType, VarcharType

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.changes import AddColumn
from twinspark.tables.describe import (
    describe_namespace,
    describe_table,
    show_columns,
    show_create_table,
    show_properties,
)
from twinspark.tables.session_catalog import SessionCatalog
from twinspark.tables.transforms import Day, Identity

T = Identifier.of("e", "t")


@pytest.fixture()
def home(tmp_path: Path) -> SessionCatalog:
    made = SessionCatalog.local("spark_catalog", str(tmp_path))
    made.create_namespace(["e"], {"comment": "c", "a": "1"})
    return made


def test_file_table_as_spark_said(home: SessionCatalog) -> None:
    nested = StructType([StructField("x", IntegerType()), StructField("y z", StringType())])
    schema = StructType([
        StructField("id", LongType(), True, {"comment": "it's"}),
        StructField("s", nested),
        StructField("k", IntegerType()),
    ])  # fmt: skip
    told = {"option.o": "1", "comment": "cc", "p": "q"}
    table = home.create_table(T, TableSpec(schema, [Identity(("k",))], told, "parquet"))
    assert show_create_table(table, "spark_catalog") == (
        "CREATE TABLE spark_catalog.e.t (\n  id BIGINT COMMENT 'it\\'s',\n"
        "  s STRUCT<x: INT, `y z`: STRING COLLATE UTF8_BINARY>,\n  k INT)\nUSING parquet\nOPTIONS (\n  'o' = '1')\n"
        "PARTITIONED BY (k)\nCOMMENT 'cc'\nTBLPROPERTIES (\n  'p' = 'q')\n"
    )
    assert describe_table(table, "spark_catalog") == [
        ("id", "bigint", "it's"), ("s", "struct<x:int,y z:string>", None), ("k", "int", None),
        ("# Partition Information", "", ""), ("# col_name", "data_type", "comment"), ("k", "int", None),
    ]  # fmt: skip
    assert show_properties(table, "spark_catalog.e.t") == [("option.o", "1"), ("p", "q")]
    missing = show_properties(table, "spark_catalog.e.t", "zz")
    assert missing == [("zz", "Table spark_catalog.e.t does not have property: zz")]
    assert show_columns(table) == [("id",), ("s",), ("k",)]


def test_iceberg_table(home: SessionCatalog) -> None:
    schema = StructType([StructField("ts", TimestampType(), False), StructField("v", VarcharType(3))])
    home.create_table(T, TableSpec(schema, [Day(("ts",))], {"p": "q"}))
    table = home.alter_table(T, [AddColumn((), "n", IntegerType(), default="5")])
    rows = describe_table(table, "spark_catalog", extended=True)
    assert rows[:6] == [
        ("ts", "timestamp", None), ("v", "varchar(3)", None), ("n", "int", None),
        ("", "", ""), ("# Partitioning", "", ""), ("Part 0", "days(ts)", ""),
    ]  # fmt: skip
    assert ("Catalog", "spark_catalog", "") in rows and ("Provider", "iceberg", "") in rows
    assert rows[-2:] == [("# Column Default Values", "", ""), ("n", "int", "5")]
    text = show_create_table(table, "spark_catalog")
    assert "  ts TIMESTAMP NOT NULL,\n  v VARCHAR(3) COLLATE UTF8_BINARY,\n  n INT DEFAULT 5)\nUSING iceberg\n" in text
    assert "PARTITIONED BY (days(ts))\n" in text and "'p' = 'q'" in text


def test_namespace(home: SessionCatalog) -> None:
    assert describe_namespace(home.load_namespace(["e"]), "spark_catalog", extended=True) == [
        ("Catalog Name", "spark_catalog"),
        ("Namespace Name", "e"),
        ("Comment", "c"),
        ("Properties", "((a,1))"),
    ]
