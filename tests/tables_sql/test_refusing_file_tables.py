"""What Spark refuses of tables of files, in Spark's words: appends that do not match, a table overwritten by itself."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException, UnsupportedOperationException
from table_helpers import rows

NAME = "spark_catalog.mine.t"
QUOTED = "`spark_catalog`.`mine`.`t`"
Write = Callable[[Any], object]


def two(spark: Any) -> Any:
    return spark.sql("SELECT 1 AS a, 'x' AS b")


def appended(spark: Any, query: str, *partitions: str, format: str = "parquet") -> None:
    writer = spark.sql(query).write.mode("append").format(format)
    (writer.partitionBy(*partitions) if partitions else writer).saveAsTable("t")


# Asked of Spark 4.2.1: the condition and what it says.
APPENDS: list[tuple[Write, str, str]] = [
    (
        lambda s: appended(s, "SELECT 2 AS a"),
        "_LEGACY_ERROR_TEMP_1161",
        f"The column number of the existing table {NAME} (struct<a:int,b:string>)"
        " doesn't match the data schema (struct<a:int>).",
    ),
    (
        lambda s: appended(s, "SELECT 2 AS a, 'z' AS c"),
        "_LEGACY_ERROR_TEMP_1162",
        "Cannot resolve 'b' given input columns: [a, c].",
    ),
    (
        lambda s: appended(s, "SELECT 1 AS a, 'x' AS b", format="json"),
        "_LEGACY_ERROR_TEMP_1159",
        f"The format of the existing table {NAME} is `ParquetDataSourceV2`."
        " It doesn't match the specified format `JsonDataSourceV2`.",
    ),
    (
        lambda s: appended(s, "SELECT 1 AS a, 'x' AS b", "b"),
        "_LEGACY_ERROR_TEMP_1163",
        f"Specified partitioning does not match that of the existing table {NAME}.\n"
        "Specified partition columns: [b].\nExisting partition columns: [].",
    ),
    (
        lambda s: two(s).writeTo("t").append(),
        "_LEGACY_ERROR_TEMP_1012",
        f"Cannot write into v1 table: {QUOTED}.",
    ),
]
OVERWRITES: list[Write] = [
    lambda s: s.table("t").write.mode("overwrite").format("parquet").saveAsTable("t"),
    lambda s: s.table("t").write.mode("overwrite").insertInto("t"),
    lambda s: s.sql("INSERT OVERWRITE t SELECT a + 1, b FROM t").collect(),
]


@pytest.mark.parametrize(("write", "condition", "words"), APPENDS)
def test_appends_that_do_not_match(tables: Any, write: Write, condition: str, words: str) -> None:
    two(tables).write.format("parquet").saveAsTable("t")
    with pytest.raises(AnalysisException) as caught:
        write(tables)
    assert caught.value.getCondition() == condition
    assert words in str(caught.value)
    assert rows(tables, "SELECT * FROM t") == [(1, "x")]


@pytest.mark.parametrize("write", OVERWRITES)
def test_a_table_overwritten_by_itself(tables: Any, write: Write) -> None:
    two(tables).write.format("parquet").saveAsTable("t")
    with pytest.raises(AnalysisException) as caught:
        write(tables)
    assert caught.value.getCondition() == "UNSUPPORTED_OVERWRITE.TABLE"
    assert caught.value.getMessageParameters() == {"table": QUOTED}


def test_partitions_that_a_table_overwrites_by_itself(tables: Any) -> None:
    """Dynamically they may: they are replaced only when the rows are there."""
    tables.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    two(tables).write.format("parquet").partitionBy("b").saveAsTable("t")
    tables.sql("INSERT OVERWRITE t SELECT a + 1, b FROM t").collect()
    assert rows(tables, "SELECT * FROM t") == [(2, "x")]


def test_rows_changed_in_place(tables: Any) -> None:
    two(tables).write.format("parquet").saveAsTable("t")
    for statement in (
        "UPDATE t SET a = 2",
        "MERGE INTO t USING (SELECT 1 AS a) u ON t.a = u.a WHEN MATCHED THEN DELETE",
    ):
        with pytest.raises(UnsupportedOperationException, match="does not support"):
            tables.sql(statement).collect()


@pytest.mark.parametrize("name", ["a b", "a-b", "a.b.c", ""])
def test_names_that_no_view_can_have(tables: Any, name: str) -> None:
    with pytest.raises(AnalysisException) as caught:
        tables.range(1).createOrReplaceTempView(name)
    assert caught.value.getCondition() == "_LEGACY_ERROR_TEMP_1321"
    assert f"Invalid view name: {name}." in str(caught.value)


@pytest.mark.parametrize(("written", "read"), [("`a b`", "`a b`"), (" spaced ", "spaced"), ("else.w", "w")])
def test_names_of_views_are_identifiers(tables: Any, written: str, read: str) -> None:
    tables.range(3).createOrReplaceTempView(written)
    assert tables.table(read).count() == 3


def test_a_checkpoint_without_a_directory(tables: Any) -> None:
    with pytest.raises(PySparkException, match="Checkpoint directory has not been set") as caught:
        tables.range(1).checkpoint()
    assert type(caught.value).__name__ == "SparkException"


def test_a_comma_before_from(tables: Any) -> None:
    with pytest.raises(AnalysisException) as caught:
        tables.sql("SELECT a, FROM t")
    assert caught.value.getCondition() == "TRAILING_COMMA_IN_SELECT"


def test_hashes_do_not_tell_names(tables: Any) -> None:
    one, other = (tables.range(3).selectExpr(f"id + 1 AS {name}") for name in ("x", "y"))
    assert one.semanticHash() == other.semanticHash()
