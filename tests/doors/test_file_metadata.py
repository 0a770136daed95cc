"""The hidden column `_metadata` of files: types and names as Spark 4.2.1 told them, facts of the file system."""

import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F

FACTS = (
    "file_path:string,file_name:string,file_size:bigint,file_block_start:bigint,file_block_length:bigint,"
    "file_modification_time:timestamp"
)
MARKS = {"__file_source_metadata_col": True, "__metadata_col": "_metadata"}
FORMATS = {"parquet": f"{FACTS},row_index:bigint", "csv": FACTS, "json": FACTS}


def facts(path: Path) -> list[Any]:
    """Java's milliseconds."""
    size, changed = path.stat().st_size, datetime.fromtimestamp(path.stat().st_mtime_ns // 1_000_000 / 1000)
    return [f"file:{path}", path.name, size, 0, size, changed]


def written(duck: Any, directory: Path, format: str = "parquet", *partitions: str) -> Any:
    rows = duck.range(0, 10, 1, 2).selectExpr("id", "id % 3 AS p")
    rows.write.partitionBy(*partitions).format(format).save(str(directory))
    return duck.read.format(format).schema("id bigint, p bigint").load(str(directory))


@pytest.mark.parametrize("format", FORMATS)
def test_what_it_says(format: str, duck: Any, tmp_path: Path) -> None:
    frame = written(duck, tmp_path / "out", format).select("id", "_metadata").orderBy("id")
    assert frame.schema["_metadata"].dataType.simpleString() == f"struct<{FORMATS[format]}>"
    assert (frame.schema["_metadata"].nullable, frame.schema["_metadata"].metadata) == (False, MARKS)
    first, second = sorted((tmp_path / "out").glob("part-*"))
    rows = [list(row["_metadata"]) for row in frame.collect()]
    numbers = [[place] if format == "parquet" else [] for place in range(5)]
    assert rows == [facts(file) + number for file in (first, second) for number in numbers]


def test_partitions(duck: Any, tmp_path: Path) -> None:
    frame = written(duck, tmp_path / "out", "parquet", "p").select("p", "_metadata.file_path").distinct()
    found = {(row.p, os.path.dirname(row.file_path)) for row in frame.collect()}
    assert found == {(p, f"file:{tmp_path}/out/p={p}") for p in range(3)}


def test_by_any_name(duck: Any, tmp_path: Path) -> None:
    """Above filters and sorts, of a DataFrame, by an alias, in any case; all columns are without it."""
    frame = written(duck, tmp_path / "out")
    assert frame.filter("id > 3").select(frame._metadata.row_index).columns == ["_metadata.row_index"]
    assert frame.alias("x").orderBy("id").select("x._METADATA.Row_Index").columns == ["Row_Index"]
    assert frame.select("_metadata.*").columns == [*(fact.partition(":")[0] for fact in FACTS.split(",")), "row_index"]
    assert frame.alias("x").filter("_metadata.row_index = 1").select("x.*").orderBy("id").collect() == [(1, 1), (6, 0)]
    assert (
        frame.select("id").filter("_metadata.row_index = 0").orderBy(F.desc("_metadata.row_index"), "id").count() == 2
    )
    assert frame.groupBy("_metadata.file_name").count().select("count").collect() == [(5,), (5,)]


def test_joins(duck: Any, tmp_path: Path) -> None:
    frame = written(duck, tmp_path / "out")
    x, y = frame.alias("x"), frame.alias("y")
    outer = x.join(y, F.expr("x.id = y.id + 8"), "left").select("x.id", "y._metadata.row_index").orderBy("id")
    assert outer.schema["row_index"].nullable
    assert [row.row_index for row in outer.collect()] == [*[None] * 8, 0, 1]
    with pytest.raises(AnalysisException) as refused:
        x.join(y, F.expr("x.id = y.id")).select("_metadata.file_name").collect()
    assert refused.value.getCondition() == "AMBIGUOUS_REFERENCE"


NOT_HERE = [
    lambda frame: frame.join(frame.alias("y"), "id").select("y._metadata.file_name"),  # Spark does not know it there
    lambda frame: frame.distinct().select("_metadata.file_name"),  # Spark finds more distinct rows then
    lambda frame: frame.select("id").select("_metadata.file_name"),
]


@pytest.mark.parametrize("place", range(len(NOT_HERE)))
def test_where_spark_is_asked(place: int, duck: Any, tmp_path: Path) -> None:
    with pytest.raises(PySparkException) as refused:
        NOT_HERE[place](written(duck, tmp_path / "out")).collect()
    assert refused.value.getCondition() == "TWINSPARK_NOT_NATIVE"


def test_pieces_are_known_to_spark_alone(duck: Any, tmp_path: Path) -> None:
    """A file of more than four megabytes may be read in several."""
    duck.range(1_000_000).selectExpr("id", "md5(string(id)) AS s").coalesce(1).write.parquet(str(tmp_path / "out"))
    frame = duck.read.parquet(str(tmp_path / "out"))
    assert frame.agg(F.max("_metadata.row_index")).collect() == [(999_999,)]
    for asked in ("_metadata", "_metadata.file_block_length"):
        with pytest.raises(PySparkException) as refused:
            frame.select(asked).collect()
        assert refused.value.getCondition() == "TWINSPARK_NOT_NATIVE"
