"""Files are laid out and spelled as Spark wrote them when the answers were recorded; failed writes leave nothing."""

import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql.types import DateType, IntegerType, StringType, StructField, StructType

sys.path.insert(0, str(Path(__file__).parent))

from record_writes import RECORDED, WRITES, laid_out

from twinspark.duck.run import connect
from twinspark.errors import NotNative, SparkError
from twinspark.tables.files.formats import ScanContext, scan
from twinspark.tables.files.write import FileWrite, write_files

ANSWERS: dict[str, Any] = json.loads(RECORDED.read_text())
TWO = StructType([StructField("a", IntegerType()), StructField("k", IntegerType())])


@pytest.fixture()
def connection() -> Any:
    opened = connect()
    opened.execute("SET TimeZone = 'UTC'")
    return opened


@pytest.mark.parametrize("name", WRITES)
def test_writes_as_spark(name: str, tmp_path: Path, connection: Any) -> None:
    write, said = WRITES[name], ANSWERS[name]
    options = {key.lower(): value for key, value in write.options.items()}
    schema = StructType.fromJson(said["schema"])
    written = write_files(
        FileWrite(
            write.duck or write.query, write.format, str(tmp_path / "out"), schema,
            partition_by=write.partition_by, options=options, time_zone=write.zone,
        ),
        connection,
    )  # fmt: skip
    assert written is not None
    assert laid_out(tmp_path / "out") == said["files"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def save(connection: Any, path: Path, rows: str, mode: str, **how: Any) -> Any:
    select = f"SELECT * FROM (VALUES {rows}) t(a, k)"
    return write_files(FileWrite(select, "parquet", str(path), TWO, mode, ("k",), **how), connection)


def rows(connection: Any, path: Path) -> list[tuple[Any, ...]]:
    found = scan("parquet", [str(path)], {}, None, ScanContext(connection))
    return sorted(connection.execute(f"SELECT a, k FROM {found.sql}").fetchall())


def test_modes(tmp_path: Path, connection: Any) -> None:
    path = tmp_path / "t"
    save(connection, path, "(1, 1), (2, 2)", "error")
    with pytest.raises(SparkError, match="PATH_ALREADY_EXISTS"):
        save(connection, path, "(3, 3)", "error")
    assert save(connection, path, "(3, 3)", "ignore") is None
    save(connection, path, "(3, 1)", "append")
    assert rows(connection, path) == [(1, 1), (2, 2), (3, 1)]
    save(connection, path, "(4, 2)", "overwrite", dynamic_overwrite=True)
    assert rows(connection, path) == [(1, 1), (3, 1), (4, 2)]
    save(connection, path, "(5, 5)", "overwrite")
    assert rows(connection, path) == [(5, 5)]
    assert [each.name for each in tmp_path.iterdir()] == ["t"]


def test_failed_write_keeps_what_was_there(tmp_path: Path, connection: Any) -> None:
    path = tmp_path / "t"
    save(connection, path, "(1, 1)", "error")
    bad = FileWrite("SELECT error('no') AS a, 1 AS k", "parquet", str(path), TWO, "overwrite")
    with pytest.raises(duckdb.Error):
        write_files(bad, connection)
    assert rows(connection, path) == [(1, 1)]
    assert [each.name for each in tmp_path.iterdir()] == ["t"]


def test_rows_only_spark_can_write(tmp_path: Path, connection: Any) -> None:
    far = StructType([StructField("d", DateType()), StructField("s", StringType())])
    with pytest.raises(NotNative, match="9999"):
        write_files(FileWrite("SELECT DATE '12020-01-01' AS d, 'x' AS s", "csv", str(tmp_path / "t"), far), connection)
    assert list(tmp_path.iterdir()) == []
