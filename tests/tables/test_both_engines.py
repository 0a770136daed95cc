"""Tables and files cross over: what one engine writes the other reads, evolved schemas included."""

from pathlib import Path
from typing import Any

import pytest
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

from twinspark.tables.catalog import Identifier
from twinspark.tables.changes import AddColumn, After, DeleteColumn, First, MoveColumn, RenameColumn, UpdateColumn
from twinspark.tables.ducktext import duck_type
from twinspark.tables.files import ScanContext, scan
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.spark_scan import spark_query
from twinspark.tables.transforms import Bucket, Day
from twinspark.tables.write import FileWrite, write_files

pytestmark = pytest.mark.spark
T = Identifier.of("db", "t")


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
EVOLUTIONS = {
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


def texts(table: Any) -> list[str]:
    return sorted(repr([plain(value) for value in row.values()]) for row in table.to_pylist())


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.isoformat() if hasattr(value, "isoformat") else value


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_evolved_tables_are_the_same_on_both(name: str, catalog: IcebergCatalog, duck: Any, real_spark: Any) -> None:
    catalog.create_table(T, NESTED, [Day(("n",)), Bucket(("id",), 2)] if name == "as written" else [])
    with catalog.stage_append(T) as write:
        write.write(duck, ROWS)
        write.commit()
    table = catalog.alter_table(T, EVOLUTIONS[name]) if EVOLUTIONS[name] else catalog.load_table(T)
    planned = table.scan()
    ours = duck.sql(f"SELECT * FROM {duck_scan(planned)}").to_arrow_table()
    frame = real_spark.sql(spark_query(planned))
    theirs = frame.toArrow()
    assert frame.schema.simpleString() == table.schema.simpleString()
    assert texts(theirs) == texts(ours) and len(texts(ours)) == 20


def test_spark_reads_what_we_write_to_files(tmp_path: Path, duck: Any, real_spark: Any) -> None:
    path = str(tmp_path / "out")
    write_files(FileWrite(typed(ROWS, NESTED), "parquet", path, NESTED, partition_by=["b"]), duck)
    frame = real_spark.read.parquet(path)
    ours = scan("parquet", [path], {}, None, ScanContext(duck))
    assert frame.schema.jsonValue() == ours.schema.jsonValue()
    assert texts(frame.toArrow()) == texts(duck.sql(f"SELECT * FROM {ours.sql}").to_arrow_table())


def typed(select: str, schema: StructType) -> str:
    columns = ", ".join(f'CAST("{f.name}" AS {duck_type(f.dataType)}) AS "{f.name}"' for f in schema.fields)
    return f"SELECT {columns} FROM ({select})"


def test_we_read_what_spark_writes(tmp_path: Path, duck: Any, real_spark: Any) -> None:
    path = str(tmp_path / "out")
    frame = real_spark.sql(
        "SELECT id, cast(id % 3 AS int) AS k, timestamp_micros(id * 1000000007) AS ts,"
        " date_add(DATE '1970-01-01', cast(id AS int)) AS d, map('k', cast(id AS decimal(20, 3))) AS m,"
        " array(named_struct('x', id, 't', timestamp_micros(id))) AS a FROM range(50)"
    )
    frame.write.partitionBy("k").parquet(path)
    ours = scan("parquet", [path], {}, None, ScanContext(duck))
    back = real_spark.read.parquet(path)
    assert ours.schema.jsonValue() == back.schema.jsonValue()
    assert texts(duck.sql(f"SELECT * FROM {ours.sql}").to_arrow_table()) == texts(back.toArrow())
