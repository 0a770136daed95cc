"""Calls of a client that need a session: commands, the catalog, files, functions and kept results, one step each.

Each step is asked of Spark by record_sessions.py and of a server without a Spark by test_sessions.py. Steps of a topic
share a session and a directory; functions stand inside the steps, so that they are sent whole."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.connect import functions as F
from pyspark.sql.connect import proto
from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import ByteType, LongType, StructField, StructType

Step = Callable[[Any, str], Any]


def topics() -> Iterator[tuple[str, dict[str, Step]]]:
    for topic in (views_and_files, tables, catalog, functions, frames, kept, streams):
        yield topic.__name__, topic()


def asked_plainly(spark: Any, relation: proto.Relation) -> Any:
    """Rows of a relation that the client has no call for."""
    table, *_ = spark.client.to_table(proto.Plan(root=relation), {})
    return table.to_pylist()


def views_and_files() -> dict[str, Step]:
    rows = [(1, "a", 0.5), (2, None, None), (3, "c", 1.5)]

    def written(spark: Any, place: str) -> Any:
        spark.createDataFrame(rows, "n int, s string, d double").coalesce(1).write.parquet(f"{place}/p")
        return spark.read.parquet(f"{place}/p")

    def again(spark: Any, place: str) -> Any:
        return spark.range(1).write.parquet(f"{place}/p")

    def parted(spark: Any, place: str) -> Any:
        spark.createDataFrame(rows, "n int, s string, d double").write.partitionBy("s").mode("overwrite").json(
            f"{place}/j"
        )
        return spark.read.json(f"{place}/j").orderBy("n")

    def viewed(spark: Any, place: str) -> Any:
        spark.createDataFrame(rows, "n int, s string, d double").createOrReplaceTempView("some_rows")
        return spark.table("some_rows").where("n > 1")

    return {
        "write_operation, read": written,
        "write_operation where something is": again,
        "write_operation by parts": parted,
        "read with a schema": lambda spark, place: spark.read.schema("d double, n long").parquet(f"{place}/p"),
        "read as text": lambda spark, place: spark.read.text(f"{place}/j/s=a").select(F.length("value")),
        "read of no file": lambda spark, place: spark.read.parquet(f"{place}/nosuch"),
        "create_dataframe_view": viewed,
        "create_dataframe_view where one is": lambda spark, place: spark.range(1).createTempView("some_rows"),
        "create_dataframe_view for all": lambda spark, place: spark.range(2).createOrReplaceGlobalTempView("twin_all"),
        "read of a view for all": lambda spark, place: spark.table("global_temp.twin_all"),
        "sql_command": lambda spark, place: spark.sql("SET spark.sql.ansi.enabled"),
        "sql_command with arguments": lambda spark, place: spark.sql(
            "SELECT :a + 1 AS x, :b AS y", args={"a": 2, "b": timedelta(days=1)}
        ),
        "sql_command with frames": lambda spark, place: spark.sql(
            "SELECT count(*) FROM {rows} WHERE n > {least}", rows=spark.table("some_rows"), least=1
        ),
        "sql_command that is wrong": lambda spark, place: spark.sql("SELEC 1"),
    }


def tables() -> dict[str, Step]:
    def made(spark: Any, place: str) -> Any:
        spark.sql("CREATE DATABASE twin_steps").collect()
        spark.range(3).select("id", (F.col("id") % 2).alias("k")).writeTo("twin_steps.t").using("parquet").create()
        return spark.table("twin_steps.t").orderBy("id")

    def merged(spark: Any, place: str) -> Any:
        source = spark.range(2).select("id", F.lit(9).cast("long").alias("k"))
        condition = F.expr("t.id = s.id")
        into = source.alias("s").mergeInto("twin_steps.t", condition)
        return into.whenMatched().updateAll().whenNotMatched().insertAll().merge()

    def appended(spark: Any, place: str) -> Any:
        spark.range(7, 8).select("id", F.lit(1).cast("long").alias("k")).write.insertInto("twin_steps.t")
        return spark.table("twin_steps.t").orderBy("id")

    return {
        "write_operation_v2": made,
        "write_operation_v2 where one is": lambda spark, place: (
            spark.range(1).writeTo("twin_steps.t").using("parquet").create()
        ),
        "write_operation into a table": appended,
        "write_operation_v2 to no table": lambda spark, place: spark.range(1).writeTo("twin_steps.nosuch").append(),
        "merge_into_table_command": merged,
        "end": lambda spark, place: spark.sql("DROP DATABASE twin_steps CASCADE").collect(),
    }


def catalog() -> dict[str, Step]:
    """One step for each call, in an order that gives each something to tell."""
    schema = StructType([StructField("a", LongType()), StructField("b", ByteType())])

    def begun(spark: Any, place: str) -> Any:
        spark.catalog.createDatabase("twin_calls")
        return spark.catalog.setCurrentDatabase("twin_calls")

    def made(spark: Any, place: str) -> Any:
        spark.catalog.createTable("made", source="parquet", schema=schema)
        return spark.table("made")

    def parted(spark: Any, place: str) -> Any:
        spark.sql("CREATE TABLE parts (a INT, p INT) USING parquet PARTITIONED BY (p)").collect()
        spark.sql("INSERT INTO parts VALUES (1, 2), (3, 4)").collect()
        return spark.catalog.listPartitions("parts")

    def outside(spark: Any, place: str) -> Any:
        spark.range(2).coalesce(1).write.parquet(f"{place}/outside")
        spark.catalog.createTable("outside", path=f"{place}/outside", source="parquet")
        return spark.table("outside").orderBy("id")

    def outside_still(spark: Any, place: str) -> Any:
        """As clients sent it before there was createTable."""
        told = {"table_name": "outside_still", "path": f"{place}/outside", "source": "parquet"}
        return asked_plainly(spark, proto.Relation(catalog={"create_external_table": told}))

    def views(spark: Any, place: str) -> Any:
        spark.range(1).createOrReplaceTempView("passing")
        spark.range(1).createOrReplaceGlobalTempView("twin_calls_all")
        spark.sql("CREATE VIEW lasting AS SELECT 1 AS one").collect()
        return [(view.name, view.isTemporary) for view in spark.catalog.listViews()]

    return {
        "create_database, set_current_database": begun,
        "current_database": lambda spark, place: spark.catalog.currentDatabase(),
        "database_exists": lambda spark, place: spark.catalog.databaseExists("twin_calls"),
        "list_databases": lambda spark, place: [d.name for d in spark.catalog.listDatabases("twin_c*")],
        "get_database": lambda spark, place: spark.catalog.getDatabase("twin_calls").catalog,
        "current_catalog": lambda spark, place: spark.catalog.currentCatalog(),
        "list_catalogs": lambda spark, place: [c.name for c in spark.catalog.listCatalogs("spark*")],
        "set_current_catalog": lambda spark, place: spark.catalog.setCurrentCatalog("spark_catalog"),
        "create_table": made,
        "create_table of files": outside,
        "create_external_table": outside_still,
        "list_partitions": parted,
        "recover_partitions": lambda spark, place: spark.catalog.recoverPartitions("parts"),
        "list_views": views,
        "list_tables": lambda spark, place: [(t.name, t.tableType) for t in spark.catalog.listTables()],
        "get_table": lambda spark, place: spark.catalog.getTable("made"),
        "get_table of none": lambda spark, place: spark.catalog.getTable("nosuch"),
        "table_exists": lambda spark, place: (spark.catalog.tableExists("made"), spark.catalog.tableExists("nosuch")),
        "list_columns": lambda spark, place: spark.catalog.listColumns("parts"),
        "function_exists": lambda spark, place: spark.catalog.functionExists("abs"),
        "get_function": lambda spark, place: spark.catalog.getFunction("abs"),
        "list_functions": lambda spark, place: spark.catalog.listFunctions(pattern="a*s"),
        "is_cached": lambda spark, place: spark.catalog.isCached("made"),
        "cache_table": lambda spark, place: spark.catalog.cacheTable("made"),
        "uncache_table": lambda spark, place: spark.catalog.uncacheTable("made"),
        "clear_cache": lambda spark, place: spark.catalog.clearCache(),
        "refresh_table": lambda spark, place: spark.catalog.refreshTable("made"),
        "refresh_by_path": lambda spark, place: spark.catalog.refreshByPath(f"{place}/outside"),
        "get_table_properties": lambda spark, place: spark.catalog.getTableProperties("nosuch"),
        "get_create_table_string": lambda spark, place: spark.catalog.getCreateTableString("parts"),
        "truncate_table": lambda spark, place: spark.catalog.truncateTable("parts"),
        "analyze_table": lambda spark, place: spark.catalog.analyzeTable("made", noScan=True),
        "drop_view": lambda spark, place: spark.catalog.dropView("lasting"),
        "drop_temp_view": lambda spark, place: spark.catalog.dropTempView("passing"),
        "drop_global_temp_view": lambda spark, place: spark.catalog.dropGlobalTempView("twin_calls_all"),
        "drop_table": lambda spark, place: spark.catalog.dropTable("made"),
        "drop_table of none": lambda spark, place: spark.catalog.dropTable("made"),
        "set_current_database back": lambda spark, place: spark.catalog.setCurrentDatabase("default"),
        "drop_database": lambda spark, place: spark.catalog.dropDatabase("twin_calls", cascade=True),
    }


def functions() -> dict[str, Step]:
    def registered(spark: Any, place: str) -> Any:
        spark.udf.register("plus_two", lambda x: x + 2, "long")
        return spark.sql("SELECT plus_two(id) FROM range(2)")

    def inline(spark: Any, place: str) -> Any:
        return spark.range(3).select(F.udf(lambda x, y: x * y, "long")("id", F.lit(4)).alias("r"))

    def named(spark: Any, place: str) -> Any:
        return spark.range(3).select(F.udf(lambda x, y: x - y, "long")(y=F.lit(1), x=F.col("id")).alias("r"))

    def mapped(spark: Any, place: str) -> Any:
        def doubled(frames: Any) -> Any:
            for frame in frames:
                yield frame.assign(id=frame.id * 2)

        return spark.range(3).mapInPandas(doubled, "id long")

    def grouped(spark: Any, place: str) -> Any:
        def counted(table: pa.Table) -> pa.Table:
            return pa.table({"k": [table["k"][0].as_py()], "n": [table.num_rows]})

        rows = spark.range(5).select((F.col("id") % 2).alias("k"), "id")
        return rows.groupBy("k").applyInArrow(counted, "k long, n long").orderBy("k")

    def joined(spark: Any, place: str) -> Any:
        def both(left: Any, right: Any) -> Any:
            return pd.DataFrame({"l": [len(left)], "r": [len(right)]})

        left, right = spark.range(4), spark.range(2, 6)
        return left.groupBy("id").cogroup(right.groupBy("id")).applyInPandas(both, "l long, r long").orderBy("l", "r")

    def tabled(spark: Any, place: str) -> Any:
        class Twice:
            def eval(self, n: int) -> Iterator[tuple[int, int]]:
                yield n, n * 2
                yield n + 1, n * 3

        return F.udtf(Twice, returnType="a int, b int")(F.lit(5))

    def tabled_by_name(spark: Any, place: str) -> Any:
        class Between:
            def eval(self, low: int, high: int) -> Iterator[tuple[int]]:
                for n in range(low, high):
                    yield (n,)

        spark.udtf.register("between_them", F.udtf(Between, returnType="n int"))
        return spark.sql("SELECT * FROM between_them(high => 4, low => 1)")

    def source(spark: Any, place: str) -> Any:
        class Letters(DataSource):
            def schema(self) -> str:
                return "n int, s string"

            def reader(self, schema: Any) -> DataSourceReader:
                return LettersReader()

        class LettersReader(DataSourceReader):
            def read(self, partition: Any) -> Iterator[Any]:
                yield 1, "a"
                yield 2, None

        spark.dataSource.register(Letters)
        return spark.read.format("Letters").load()

    return {
        "register_data_source": source,
        "register_function": registered,
        "common_inline_user_defined_function": inline,
        "named_argument_expression": named,
        "map_partitions": mapped,
        "group_map": grouped,
        "co_group_map": joined,
        "common_inline_user_defined_table_function": tabled,
        "register_table_function": tabled_by_name,
    }


def frames() -> dict[str, Step]:
    def cached(spark: Any, place: str) -> Any:
        spark.conf.set("spark.sql.session.localRelationCacheThreshold", "10")
        rows = [(i, str(i) * 20) for i in range(40)]
        return spark.createDataFrame(rows, "n int, s string").groupBy(F.col("n") % 2).agg(F.max("s"))

    def cached_whole(spark: Any, place: str) -> Any:
        """As clients before 4.1 sent large local rows."""
        rows = spark.createDataFrame([(1, "a"), (2, None)], "n int, s string")._plan.plan(spark.client).local_relation
        hashed = spark.client.cache_artifact(rows.SerializeToString())
        return asked_plainly(spark, proto.Relation(cached_local_relation={"hash": hashed}))

    return {
        "cached_local_relation": cached_whole,
        "chunked_cached_local_relation": cached,
        "observe": lambda spark, place: spark.range(4).observe("seen", F.count(F.lit(1)).alias("n")).where("id > 1"),
    }


def kept() -> dict[str, Step]:
    held: dict[str, Any] = {}

    def checkpointed(spark: Any, place: str) -> Any:
        held["frame"] = spark.range(4).select((F.col("id") * 2).alias("x")).localCheckpoint()
        return held["frame"].where("x > 2")

    def let_go(spark: Any, place: str) -> Any:
        held.clear()
        return spark.range(1)

    return {
        "checkpoint_command, cached_remote_relation": checkpointed,
        "remove_cached_remote_relation_command": let_go,
        "persist": lambda spark, place: spark.range(3).persist().storageLevel,
    }


def streams() -> dict[str, Step]:
    def rate(spark: Any) -> Any:
        return spark.readStream.format("rate").load()

    def told(frame: Any) -> Any:
        return frame.isStreaming, frame.schema.json()

    def lines(spark: Any, place: str) -> Any:
        return told(spark.readStream.schema("a int not null, b array<string>").json(place))

    def batch(spark: Any, place: str) -> Any:
        times = spark.range(2).select("id", F.timestamp_seconds("id").alias("t"))
        return times.withWatermark("t", "10 minutes")

    return {
        "with_watermark of rows": batch,
        "with_watermark of a wrong delay": lambda spark, place: spark.range(1).withWatermark("id", "x"),
        "read of a stream": lambda spark, place: told(rate(spark)),
        "read of a stream of files": lines,
        "with_watermark": lambda spark, place: told(rate(spark).withWatermark("timestamp", "2 hours")),
        "with_watermark, renamed": lambda spark, place: told(
            rate(spark).withWatermark("timestamp", "1 minute").select(F.col("timestamp").alias("t"), F.lit(1))
        ),
        "deduplicate within a watermark": lambda spark, place: told(
            rate(spark).withWatermark("timestamp", "1 minute").dropDuplicatesWithinWatermark(["value"])
        ),
        "joins and groups of a stream": lambda spark, place: told(
            rate(spark).join(spark.range(3).toDF("value"), "value", "left").groupBy("value").agg(F.max("timestamp"))
        ),
    }
