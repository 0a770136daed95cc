"""saveAsTable, insertInto, writeTo and mergeInto through a client."""

from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from table_helpers import rows


def test_save_as_table(tables: Any) -> None:
    frame = tables.range(3).withColumn("s", F.col("id").cast("string"))
    frame.write.saveAsTable("t")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        frame.write.saveAsTable("t")
    frame.write.mode("ignore").saveAsTable("t")
    frame.select("s", "id").write.mode("append").saveAsTable("t")
    assert rows(tables, "SELECT count(*), sum(id), max(s) FROM t") == [(6, 6, "2")]
    frame.withColumn("x", F.lit(1)).limit(1).write.mode("overwrite").saveAsTable("t")
    assert rows(tables, "SELECT * FROM t") == [(0, "0", 1)]


def test_save_as_a_table_of_files(tables: Any) -> None:
    frame = tables.range(4).withColumn("k", F.col("id") % 2)
    frame.write.format("parquet").partitionBy("k").saveAsTable("p")
    frame.write.mode("append").partitionBy("k").saveAsTable("p")
    assert rows(tables, "SELECT k, count(*) FROM p GROUP BY k") == [(0, 4), (1, 4)]
    frame.limit(1).write.format("parquet").mode("overwrite").saveAsTable("p")
    assert rows(tables, "SELECT * FROM p") == [(0, 0)]


def test_insert_into_is_by_position(tables: Any) -> None:
    tables.sql("CREATE TABLE t (a INT, b STRING)").collect()
    tables.createDataFrame([(1, "x")], "b int, a string").write.insertInto("t")
    assert rows(tables, "SELECT * FROM t") == [(1, "x")]
    tables.createDataFrame([(2, "y")], "a int, b string").write.insertInto("t", overwrite=True)
    assert rows(tables, "SELECT * FROM t") == [(2, "y")]
    with pytest.raises(AnalysisException, match="NOT_ENOUGH_DATA_COLUMNS"):
        tables.range(1).write.insertInto("t")


def test_write_to(tables: Any) -> None:
    frame = tables.range(4).withColumn("ts", F.timestamp_seconds(F.col("id") * 86400))
    frame.writeTo("t").partitionedBy(F.partitioning.days("ts"), F.partitioning.bucket(4, "id")).create()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        frame.writeTo("t").create()
    frame.writeTo("t").append()
    assert rows(tables, "SELECT count(*) FROM t") == [(8,)]
    frame.limit(1).writeTo("t").overwrite(F.col("id") > 0)
    assert rows(tables, "SELECT id FROM t") == [(0,), (0,), (0,)]
    frame.limit(1).writeTo("t").overwritePartitions()
    assert rows(tables, "SELECT id FROM t") == [(0,)]
    tables.range(2).writeTo("t").replace()
    assert tables.table("t").columns == ["id"]
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        frame.writeTo("nosuch").replace()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        frame.writeTo("nosuch").append()
    frame.writeTo("u").tableProperty("k", "v").createOrReplace()
    assert rows(tables, "SELECT count(*) FROM u") == [(4,)]


def test_merge_into(tables: Any) -> None:
    tables.range(4).withColumn("s", F.lit("old")).writeTo("t").create()
    source = tables.range(2, 6).withColumn("s", F.lit("new")).alias("src")
    (
        source.mergeInto("t", F.col("t.id") == F.col("src.id"))
        .whenMatched(F.col("src.id") == 2)
        .update({"s": F.concat(F.col("t.s"), F.lit("+"), F.col("src.s"))})
        .whenMatched()
        .delete()
        .whenNotMatched()
        .insertAll()
        .whenNotMatchedBySource(F.col("t.id") == 0)
        .update({"s": F.lit("lonely")})
        .merge()
    )
    assert rows(tables, "SELECT * FROM t") == [(0, "lonely"), (1, "old"), (2, "old+new"), (4, "new"), (5, "new")]


def test_rows_of_the_client_as_source(tables: Any) -> None:
    tables.createDataFrame([(1, [1, None]), (2, None)], "id int, a array<int>").write.saveAsTable("t")
    source = tables.createDataFrame([(2, [5])], "id int, a array<int>").alias("s")
    source.mergeInto("t", F.col("t.id") == F.col("s.id")).whenMatched().updateAll().merge()
    assert rows(tables, "SELECT * FROM t") == [(1, [1, None]), (2, [5])]


def test_columns_that_buckets_and_clusters_are_made_of(tables: Any) -> None:
    frame = tables.createDataFrame([(1, "a", 2.0), (2, "b", 3.0)], "x int, y string, z double")

    def roles(name: str) -> list[tuple[bool, bool, bool]]:
        return [(each.isPartition, each.isBucket, each.isCluster) for each in tables.catalog.listColumns(name)]

    frame.write.partitionBy("z").bucketBy(3, "x", "y").saveAsTable("buckets")
    assert roles("buckets") == [(False, True, False), (False, True, False), (True, False, False)]
    frame.write.clusterBy("x").saveAsTable("clusters")
    assert roles("clusters") == [(False, False, True), (False, False, False), (False, False, False)]
    assert sorted(tables.table("buckets").collect()) == sorted(tables.table("clusters").collect())


def test_a_table_of_ours_is_not_left_behind_by_one_that_only_spark_keeps(tables: Any) -> None:
    """Spark would make its table beside ours, and the name would still mean the old rows."""
    tables.range(2).write.saveAsTable("kept")
    for write in (
        tables.range(5).write.format("parquet").bucketBy(2, "id"),
        tables.range(5).write.format("xml").option("rowTag", "r"),
        tables.sql("SELECT 'x' COLLATE UTF8_LCASE AS c").write,
    ):
        with pytest.raises(AnalysisException, match=r"UNSUPPORTED_FEATURE\.TABLE_OPERATION.*drop it first"):
            write.mode("overwrite").saveAsTable("kept")
    assert rows(tables, "SELECT count(*) FROM kept") == [(2,)]
