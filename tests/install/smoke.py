"""What every installation must do, run by the Python of an environment that has only twinspark's wheel in it.

`python smoke.py [spark]`: with `spark`, Spark itself is installed too and must answer.
"""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import twinspark


def answers_natively(spark: Any) -> None:
    frame = spark.createDataFrame([("de", 3), ("fr", 4), ("de", 5)], "country string, n int")
    rows = frame.groupBy("country").sum("n").orderBy("country").collect()
    assert [tuple(row) for row in rows] == [("de", 8), ("fr", 4)], rows
    assert spark.sql("select upper('ä'), soundex('Robert'), date_format(date'2026-02-03', 'E')").first()[0] == "Ä"
    assert json.loads(spark.conf.get("twinspark.lastOperation"))["engine"] == "duckdb"


def writes_and_reads(spark: Any, folder: Path) -> None:
    spark.range(10).selectExpr("id", "id % 3 as k").write.partitionBy("k").parquet(str(folder / "parquet"))
    assert spark.read.parquet(str(folder / "parquet")).where("k = 1").count() == 3
    spark.sql("create table t (a int, b string)")
    spark.sql("insert into t values (1, 'x'), (2, 'y')")
    assert spark.table("t").count() == 2


def calls_python(spark: Any) -> None:
    from pyspark.sql.functions import udf

    rows = spark.range(3).select(udf(lambda n: n * n, "long")("id").alias("square")).collect()
    assert [row.square for row in rows] == [0, 1, 4]


def names_a_typo(spark: Any) -> None:
    from pyspark.errors import AnalysisException

    try:
        spark.range(3).select("idd").collect()
    except AnalysisException as error:
        assert error.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION" and "`id`" in str(error)
    else:
        raise AssertionError("a column that does not exist was found")


def explains_itself(spark: Any, has_spark: bool) -> None:
    """Which engine runs a plan, and what a setting means, is known without Spark, too."""
    text = spark.range(3)._explain_string()
    assert ("== Engine ==\nduckdb: [NATIVE]" if has_spark else "DuckDB: [NATIVE]") in text, text
    assert "twinspark.engine" in {row.key for row in spark.sql("set -v").collect()}
    assert spark.sql("explain select 1").count() == 1


def needs_spark(spark: Any, has_spark: bool) -> None:
    """Without Spark one line says what to install."""
    from pyspark.errors import PySparkException

    try:
        answer = spark.sql("select java_method('java.lang.Math', 'abs', -7)").first()[0]
        assert has_spark and answer == "7"
    except PySparkException as error:
        assert not has_spark, error
        assert "pip install 'twinspark[spark]'" in str(error).splitlines()[0], error


def main(has_spark: bool) -> None:
    started = time.perf_counter()
    folder = Path(tempfile.mkdtemp())
    spark = twinspark.session(warehouse=str(folder / "warehouse"))
    answers_natively(spark)
    print(f"first answers after {time.perf_counter() - started:.1f} s")
    writes_and_reads(spark, folder)
    calls_python(spark)
    names_a_typo(spark)
    explains_itself(spark, has_spark)
    needs_spark(spark, has_spark)
    spark.stop()
    shutil.rmtree(folder)
    print("smoke suite passed")


if __name__ == "__main__":
    main("spark" in sys.argv[1:])
