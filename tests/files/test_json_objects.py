"""JSON files whose lines are objects, whatever DuckDB would take them for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import twinspark


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    session = twinspark.session(engine="duckdb")
    yield session
    session.stop()


@pytest.mark.parametrize("schema", ["s string", "s struct<a:int>"])
def test_objects_without_a_field(tmp_path: Path, spark: Any, schema: str) -> None:
    """A file of nothing but `{}` holds rows of nulls, not one value."""
    (tmp_path / "a.json").write_text("{}\n")
    (tmp_path / "b.json").write_text('{}\n{"t": 1}\n')
    frame = spark.read.schema(schema).json(str(tmp_path))
    assert [row.s for row in frame.collect()] == [None, None, None]


def test_partitions_of_which_one_has_no_value(tmp_path: Path, spark: Any) -> None:
    spark.sql("SELECT * FROM VALUES ('x', 1), (null, 2) AS t(s, p)").write.partitionBy("p").json(str(tmp_path / "j"))
    assert sorted(spark.read.json(str(tmp_path / "j")).collect(), key=lambda row: row.p) == [("x", 1), (None, 2)]


def test_texts_read_line_by_line_and_as_one(tmp_path: Path, spark: Any) -> None:
    """A file that is malformed line by line is read again as a whole: what was found first does not count then."""
    (tmp_path / "rows.json").write_text('[{"a":1},\n {"a":2,"b":true}]')
    by_lines = spark.read.json(str(tmp_path))
    assert by_lines.columns == ["_corrupt_record", "a", "b"]
    as_one = spark.read.option("multiLine", True).json(str(tmp_path))
    assert as_one.columns == ["a", "b"]
    assert as_one.collect() == [(1, None), (2, True)]
    assert spark.read.json(str(tmp_path)).columns == by_lines.columns
