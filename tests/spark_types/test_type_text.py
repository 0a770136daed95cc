"""Type text is parsed by one parser, in the dialects of those who write it; Spark's own parser agrees."""

import pytest
from pyspark.sql import types as t

from twinspark.plans_json.types import EMITTED
from twinspark.read.sql.type_texts import parse_columns
from twinspark.read.sql.type_texts import parse_type as parse_sql_type
from twinspark.types.text import REPORTED, SPARK, TypeTextError, parse_fields, parse_type

WRITTEN = [
    *SPARK.names,
    "DECIMAL(18, 4)",
    "dec(3)",
    "char(3)",
    "VARCHAR(9)",
    "time(3)",
    "string collate utf8_lcase",
    "timestamp without time zone",
    "timestamp with local time zone",
    "interval day",
    "interval hour to second",
    "INTERVAL YEAR TO MONTH",
    "array<array<int>>",
    "map<string, decimal(5,2)>",
    "struct<>",
    "struct<a: int not null comment 'it\\'s', `b c` array<int>>",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_the_sql_parser_reads_the_same_type(text: str) -> None:
    expected = parse_sql_type(text)
    assert parse_type(text) == normal(expected)


def normal(type: t.DataType) -> t.DataType:
    """The SQL parser writes collations as Spark's catalogue of them does."""
    return t.StringType("utf8_lcase") if type == t.StringType("UTF8_LCASE") else type


def test_columns_are_read_as_the_sql_parser_reads_them() -> None:
    text = "a int, `b``c` string NOT NULL, d struct<e: date> COMMENT 'x'"
    assert parse_fields(text) == parse_columns(text)


WRONG = """
nit|array|array<|array<int|int int|decimal(39)|decimal(3,4)|decimal(3,-1)|char(0)|char|time(7)|int;|bool
interval second to day|interval year to day|struct<a.b int>
"""


@pytest.mark.parametrize("text", ["", *WRONG.strip().replace("\n", "|").split("|")])
def test_what_spark_does_not_take_is_an_error(text: str) -> None:
    with pytest.raises(TypeTextError, match="is not a Spark type"):
        parse_type(text)


def test_dialects_add_names() -> None:
    assert parse_type("char", REPORTED) == t.StringType()
    assert parse_type("decimal(3,-1)", REPORTED) == t.DecimalType(3, -1)
    assert parse_type("struct<a.b c:int>", REPORTED).names == ["a.b c"]
    assert parse_type("datetime", EMITTED) == t.TimestampType()
    assert parse_type("double precision", EMITTED) == t.DoubleType()
