"""Tables of many nested shapes and the ways their schemas change, for tests that compare readers."""

from typing import Any

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from twinspark.tables.changes import (
    AddColumn,
    After,
    DeleteColumn,
    First,
    MoveColumn,
    RenameColumn,
    TableChange,
    UpdateColumn,
)


def struct(**types: Any) -> StructType:
    return StructType([StructField(name, type) for name, type in types.items()])


NESTED = struct(
    id=LongType(),
    b=ByteType(),
    d=DoubleType(),
    dec=DecimalType(9, 2),
    s=StringType(),
    day=DateType(),
    ts=TimestampType(),
    n=TimestampNTZType(),
    p=struct(x=IntegerType(), y=StringType()),
    a=ArrayType(struct(e=IntegerType())),
    m=MapType(StringType(), struct(v=IntegerType())),
)
ROWS = """
  SELECT range AS id, range % 5 AS b, range / 3 AS d, range * 1.25 AS dec, CASE WHEN range % 4 > 0 THEN 's' || range END AS s,
    DATE '1500-01-01' + CAST(range * 1000 AS INT) AS day, TIMESTAMPTZ '1900-01-01 00:00:00+00' + to_days(CAST(range * 999 AS INT)) AS ts,
    TIMESTAMP '2020-01-01 00:00:00.123456' + to_hours(CAST(range AS INT)) AS n,
    CASE WHEN range % 3 > 0 THEN {'x': range, 'y': 'y' || range} END AS p,
    CASE WHEN range % 3 = 1 THEN [{'e': range}, NULL] WHEN range % 3 = 2 THEN [] END AS a,
    CASE WHEN range % 2 = 1 THEN MAP {'k' || range: {'v': range}} END AS m
  FROM range(20)"""  # noqa: E501
EVOLUTIONS: dict[str, list[TableChange]] = {
    "as written": [],
    "renamed and added": [RenameColumn(("s",), "name"), AddColumn((), "s", IntegerType(), position=First())],
    "swapped": [RenameColumn(("d",), "t"), RenameColumn(("dec",), "d"), RenameColumn(("t",), "dec")],
    "dropped and added again": [DeleteColumn(("id",)), AddColumn((), "id", StringType())],
    "nested": [
        RenameColumn(("p", "x"), "xx"), AddColumn(("p",), "x", StringType(), position=After("xx")),
        RenameColumn(("a", "element", "e"), "f"), AddColumn(("a", "element"), "e", DateType()),
        RenameColumn(("m", "value", "v"), "w"), RenameColumn(("p",), "q"),
    ],
    "promoted": [
        UpdateColumn(("b",), IntegerType()), UpdateColumn(("p", "x"), LongType()),
        UpdateColumn(("a", "element", "e"), LongType()), UpdateColumn(("dec",), DecimalType(20, 2)),
        MoveColumn(("m",), First()),
    ],
}  # fmt: skip
