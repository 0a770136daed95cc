"""Plans that Spark's optimizer reduces to no rows, and samples whose rows only Spark can refuse, are not native."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException


def condition_of(call: Any) -> str | None:
    with pytest.raises(PySparkException) as refused:
        call()
    return refused.value.getCondition()


@pytest.mark.parametrize("condition", ["1 = 0", "id = null", "id > 1 AND id < 0", "false", "not (id is not null)"])
def test_input_files_of_no_rows(condition: str, duck: Any, tmp_path: Path) -> None:
    duck.range(3).write.parquet(str(tmp_path / "out"))
    frame = duck.read.parquet(str(tmp_path / "out"))
    assert condition_of(frame.where(condition).inputFiles) == "TWINSPARK_NOT_NATIVE"
    assert condition_of(frame.limit(0).inputFiles) == "TWINSPARK_NOT_NATIVE"
    assert frame.where("id > 1").inputFiles() == frame.inputFiles()


def test_a_fraction_that_is_no_number(duck: Any) -> None:
    assert condition_of(duck.range(3).sample(float("nan"), 1).collect) == "TWINSPARK_NOT_NATIVE"


def test_no_rows_of_a_filter_that_fails(duck: Any) -> None:
    """Spark raises DIVIDE_BY_ZERO."""
    rows = duck.sql("SELECT * FROM VALUES (1), (0) t(a) WHERE 1 / a > 0")
    assert condition_of(rows.sample(True, 0.0, 1).collect) == "TWINSPARK_NOT_NATIVE"
    assert duck.range(3).sample(False, 0.0, 1).collect() == []
