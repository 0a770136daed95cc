"""JSON files that DuckDB's reader cannot take apart as Spark does: read line by line, they give Spark's rows."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

import twinspark

sys.path.insert(0, str(Path(__file__).parent))

from file_cases import CASES
from record_files import RECORDED, answer, placed

ANSWERS: dict[str, Any] = json.loads((RECORDED / "files.json").read_text())
ROWS = [name for name in CASES if name.startswith("json ") and "rows" in ANSWERS[name]]
# Questions that only Spark answers.
LEFT_TO_SPARK = {"json empty", "json typed, number as date"}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = twinspark.session(engine="duckdb")
    yield session
    session.stop()


@pytest.mark.parametrize("name", ROWS)
def test_json_files_are_read_as_by_spark(name: str, tmp_path: Path, spark: SparkSession) -> None:
    case, said = CASES[name], ANSWERS[name]
    case.build(tmp_path)
    paths, options = placed(case, str(tmp_path))
    reader = spark.read.options(**options)
    frame = (reader.schema(case.schema) if case.schema else reader).format("json").load(paths)
    if name in LEFT_TO_SPARK:
        with pytest.raises(PySparkException, match="TWINSPARK_NOT_NATIVE"):
            frame.toArrow()
        return
    assert frame.schema.jsonValue() == said["schema"]
    assert answer(frame.toArrow().to_pylist()) == said["rows"]
