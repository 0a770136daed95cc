"""Tables and files cross over: what one engine writes the other reads, evolved schemas included."""

import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

sys.path.insert(0, str(Path(__file__).parent))

from evolved_tables import EVOLUTIONS, NESTED, ROWS

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.column_types import column_type
from twinspark.tables.files.formats import ScanContext, scan
from twinspark.tables.files.write import FileWrite, write_files
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.spark_scan import spark_query
from twinspark.tables.transforms import Bucket, Day

pytestmark = pytest.mark.spark
T = Identifier.of("db", "t")


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
    catalog.create_table(T, TableSpec(NESTED, [Day(("n",)), Bucket(("id",), 2)] if name == "as written" else []))
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
    columns = ", ".join(f'CAST("{f.name}" AS {column_type(f.dataType)}) AS "{f.name}"' for f in schema.fields)
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


OLD = """SELECT CAST(id AS INT) AS id, date_add(DATE'0001-01-01', CAST(id * 9973 AS INT)) AS d,
  timestampadd(DAY, id * 9973, TIMESTAMP'0001-01-01 00:00:00.000001') AS ts,
  CAST(timestampadd(DAY, id * 9973, TIMESTAMP'0001-01-01 00:00:00.000001') AS TIMESTAMP_NTZ) AS n FROM range(80)"""


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
def test_old_moments_of_spark(kind: str, tmp_path: Path, duck: Any, real_spark: Any) -> None:
    """Dates and moments before 1582, when calendars changed, and at the changes since."""
    path = str(tmp_path / "out")
    real_spark.conf.set("spark.sql.parquet.outputTimestampType", kind)
    real_spark.sql(OLD).write.parquet(path)
    ours = scan("parquet", [path], {}, None, ScanContext(duck))
    assert moments(duck, ours.sql) == told(real_spark.read.parquet(path)) and len(moments(duck, ours.sql)) == 80


def test_old_moments_of_ours(tmp_path: Path, catalog: IcebergCatalog, duck: Any, real_spark: Any) -> None:
    schema = real_spark.sql(OLD).schema
    wanted = told(real_spark.sql(OLD))
    values = ", ".join(f"({id}, DATE '{d}', TIMESTAMPTZ '{ts}+00', TIMESTAMP '{n}')" for id, d, ts, n in wanted)
    select = f"SELECT * FROM (VALUES {values}) AS rows(id, d, ts, n)"
    catalog.create_table(T, TableSpec(schema, [Day(("ts",))]))
    with catalog.stage_append(T) as write:
        write.write(duck, select)
        write.commit()
    planned = catalog.load_table(T).scan()
    assert moments(duck, duck_scan(planned)) == told(real_spark.sql(spark_query(planned))) == wanted
    write_files(FileWrite(select, "parquet", str(tmp_path / "files"), schema), duck)
    assert told(real_spark.read.parquet(str(tmp_path / "files"))) == wanted


def moments(duck: Any, sql: str) -> list[tuple[Any, ...]]:
    found = duck.execute(f"SELECT id, d::VARCHAR, timezone('UTC', ts)::VARCHAR, n::VARCHAR FROM {sql} ORDER BY id")
    return [tuple(row) for row in found.fetchall()]


def told(frame: Any) -> list[tuple[Any, ...]]:
    texts = frame.selectExpr("id", "CAST(d AS STRING)", "CAST(ts AS STRING)", "CAST(n AS STRING)")
    return [tuple(row) for row in texts.orderBy("id").collect()]
