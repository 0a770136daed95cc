"""Files are read as Spark read them when the answers were recorded, or are left to Spark with a reason."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

sys.path.insert(0, str(Path(__file__).parent))

from file_cases import CASES, Case
from record_files import RECORDED, answer, placed

from twinspark.duck.run import connect
from twinspark.errors import NotNative, SparkError
from twinspark.errors.reasons.registry import BY_CODE
from twinspark.tables.column_types import column_type
from twinspark.tables.files.formats import FileScan, ScanContext, scan

ANSWERS: dict[str, Any] = json.loads((RECORDED / "files.json").read_text())
# What goes to Spark today; a case that starts to be answered here must leave the list.
LEFT_TO_SPARK = set(json.loads((RECORDED / "files_left_to_spark.json").read_text()))


@pytest.fixture(scope="module")
def connection() -> Any:
    opened = connect()
    opened.execute("SET TimeZone = 'UTC'")
    return opened


def asked_schema(name: str) -> StructType | None:
    asked = ANSWERS[name]["user_schema"]
    return None if asked is None else StructType.fromJson(asked)


def our_scan(name: str, case: Case, directory: str, connection: Any) -> FileScan:
    case.build(Path(directory))
    paths, options = placed(case, directory)
    return scan(case.format, paths, options, asked_schema(name), ScanContext(connection, case.config))


@pytest.mark.parametrize("name", sorted(set(CASES) - LEFT_TO_SPARK))
def test_reads_as_spark(name: str, tmp_path: Path, connection: Any) -> None:
    said = ANSWERS[name]
    if "error" in said:
        with pytest.raises(SparkError) as raised:
            our_scan(name, CASES[name], str(tmp_path), connection)
        assert str(raised.value).replace(str(tmp_path), "{dir}") == said["message"]
        return
    ours = our_scan(name, CASES[name], str(tmp_path), connection)
    assert ours.schema.jsonValue() == said["schema"]
    every_column = frozenset(range(len(ours.schema.fields)))
    rows = ours.by_columns(every_column) if ours.by_columns else ours.sql
    table = connection.sql(f"SELECT * FROM {rows}")
    assert table.columns == ours.schema.names
    assert [str(type) for type in table.types] == declared_types(ours.schema, connection)
    assert answer(table.to_arrow_table().to_pylist()) == said["rows"]


def declared_types(schema: StructType, connection: Any) -> list[str]:
    """The mapping's types as DuckDB prints them."""
    nulls = ", ".join(f"CAST(NULL AS {column_type(field.dataType)})" for field in schema.fields)
    return [str(type) for type in connection.sql(f"SELECT {nulls}").types]


@pytest.mark.parametrize("name", sorted(LEFT_TO_SPARK))
def test_left_to_spark_with_a_reason(name: str, tmp_path: Path, connection: Any) -> None:
    with pytest.raises(NotNative) as raised:
        our_scan(name, CASES[name], str(tmp_path), connection)
    assert raised.value.cause.reason.code in BY_CODE


def test_the_largest_file_is_read_first(tmp_path: Path, connection: Any) -> None:
    """Recorded from Spark 4.2.1: files of 10, 3000, 100, 3000 and 1 rows come back as the second, fourth, third …"""
    paths = []
    for name, count in [("a", 10), ("b", 3000), ("c", 100), ("d", 3000), ("e", 1)]:
        paths.append(str(tmp_path / f"{name}.parquet"))
        connection.execute(f"COPY (SELECT '{name}' AS k, i FROM range({count}) t(i)) TO '{paths[-1]}' (FORMAT parquet)")
    found = scan("parquet", paths, {}, None, ScanContext(connection, {}))
    rows = connection.sql(f"SELECT k FROM {found.sql}").fetchall()
    assert list(dict.fromkeys(k for (k,) in rows)) == ["b", "d", "c", "a", "e"]
