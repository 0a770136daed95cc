"""`DataFrame.explain` where Spark is installed: Spark's plan, and which engine would run it."""

from typing import Any

import pytest

pytestmark = pytest.mark.spark


def explained(frame: Any, capsys: pytest.CaptureFixture[str], *mode: Any) -> str:
    frame.explain(*mode)
    return capsys.readouterr().out


def test_a_plan_that_duckdb_runs(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(spark.range(3), capsys)
    assert text.startswith("== Physical Plan ==\n*(1) Range (0, 3")
    assert "== Engine ==\nduckdb: [NATIVE] The native engine runs the whole plan. The plan above is what Spark" in text


def test_a_plan_that_spark_runs(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(spark.sql("select java_method('java.lang.Math', 'abs', id) from range(3)"), capsys, True)
    assert "== Optimized Logical Plan ==" in text and "== Engine ==\nspark: [" in text
    assert "is what Spark would run" not in text
