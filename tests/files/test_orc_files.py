"""ORC files that Spark wrote are read as Spark reads them, ours are read by both, and the rest is left to Spark."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, DateType, StructType, TimestampType

sys.path.insert(0, str(Path(__file__).parent))

from record_files import answer
from record_orc import ANSWERS, CASES, DATA, LEFT_TO_SPARK

from twinspark.duck.run import connect
from twinspark.errors import NotNative, SparkError
from twinspark.tables.files.formats import FileScan, ScanContext, scan
from twinspark.tables.files.write import FileWrite, write_files

SAID: dict[str, Any] = json.loads(ANSWERS.read_text())


@pytest.fixture(scope="module")
def duck() -> Any:
    opened = connect()
    opened.execute("SET TimeZone = 'UTC'")
    return opened


def registered(found: FileScan, duck: Any) -> str:
    for name, dataset in found.arrow:
        duck.register(name, dataset)
    return found.sql


def place_of(name: str) -> str:
    return str(DATA / name.replace(" ", "_"))


def of_spark(name: str, duck: Any) -> FileScan:
    asked = SAID[name]["user_schema"]
    schema = None if asked is None else StructType.fromJson(asked)
    return scan("orc", [place_of(name)], {}, schema, ScanContext(duck))


@pytest.mark.parametrize("name", CASES)
def test_files_of_spark(name: str, duck: Any) -> None:
    found = of_spark(name, duck)
    assert found.schema.jsonValue() == SAID[name]["schema"]
    table = duck.sql(f"SELECT * FROM {registered(found, duck)}").to_arrow_table()
    assert answer(table.to_pylist()) == SAID[name]["rows"]


@pytest.mark.parametrize("name", LEFT_TO_SPARK)
def test_files_only_spark_reads(name: str, duck: Any) -> None:
    schema = StructType().add("id", "string") if "schema" in LEFT_TO_SPARK[name] else None
    with pytest.raises(NotNative):
        scan("orc", [place_of(name)], {}, schema, ScanContext(duck))


def test_nothing_to_read(tmp_path: Path, duck: Any) -> None:
    with pytest.raises(SparkError) as raised:
        scan("orc", [str(tmp_path)], {}, None, ScanContext(duck))
    assert raised.value.condition == "UNABLE_TO_INFER_SCHEMA"


def test_not_a_number_is_the_largest(duck: Any) -> None:
    """Filters stay DuckDB's: pyarrow would drop the rows with NaN."""
    sql = registered(of_spark("types", duck), duck)
    assert duck.sql(f"SELECT count(*) FROM {sql} WHERE d > 1000").fetchall() == [(4,)]


@pytest.mark.parametrize("codec", ["zstd", "zlib", "snappy", "none"])
def test_written_and_read_again(codec: str, tmp_path: Path, duck: Any) -> None:
    """Times before 1970 with parts of seconds are Spark's to write: later ones are written here."""
    found = of_spark("types", duck)
    later = f"SELECT * REPLACE (ts + INTERVAL 1 YEAR AS ts) FROM {registered(found, duck)}"
    path = str(tmp_path / "out")
    write_files(FileWrite(later, "orc", path, found.schema, options={"compression": codec}), duck)
    again = scan("orc", [path], {}, None, ScanContext(duck))
    assert again.schema == found.schema
    ours = duck.sql(f"SELECT * FROM {registered(again, duck)}").to_arrow_table().to_pylist()
    assert answer(ours) == answer(duck.sql(later).to_arrow_table().to_pylist())
    [name] = [each.name for each in Path(path).glob("part-*")]
    assert name.endswith("c000.orc" if codec == "none" else f"c000.{codec}.orc")


@pytest.mark.parametrize(
    "value", ["TIMESTAMPTZ '1969-12-31 23:59:59.5'", "DATE '1500-01-01'", "[TIMESTAMPTZ '2300-01-01']"]
)
def test_times_only_spark_writes(value: str, tmp_path: Path, duck: Any) -> None:
    types = {"T": TimestampType(), "D": DateType(), "[": ArrayType(TimestampType())}
    schema = StructType().add("a", types[value[0]])
    with pytest.raises(NotNative):
        write_files(FileWrite(f"SELECT {value} AS a", "orc", str(tmp_path / "out"), schema), duck)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spark
def test_spark_reads_ours(tmp_path: Path, duck: Any, real_spark: Any) -> None:
    found = of_spark("types", duck)
    path = str(tmp_path / "out")
    later = f"SELECT * REPLACE (ts + INTERVAL 1 YEAR AS ts) FROM {registered(found, duck)}"
    write_files(FileWrite(later, "orc", path, found.schema, partition_by=["b", "st"]), duck)
    ours = scan("orc", [path], {}, None, ScanContext(duck))
    frame = real_spark.read.orc(path)
    assert frame.schema == ours.schema
    rows = duck.sql(f"SELECT * FROM {registered(ours, duck)}").to_arrow_table().to_pylist()
    assert answer(frame.toArrow().to_pylist()) == answer(rows) and len(rows) == 7
