"""--allow-path: whatever names a path outside of the directories is refused, on its way to either engine."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import from_xml, lit

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.access.allowed_paths import AllowedPaths
from twinspark.sessions.settings import Settings

REFUSED = "TWINSPARK_NOT_ALLOWED"


@dataclass(frozen=True)
class Ground:
    spark: Any
    inside: Path
    outside: Path


@pytest.fixture(scope="module", params=["duckdb", "auto"])
def ground(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Ground]:
    """Neither engine is asked for what is refused: an auto server starts no Spark either."""
    place = tmp_path_factory.mktemp("paths")
    inside, outside = place / "inside", place / "outside"
    for each in (inside, outside):
        (each / "data").mkdir(parents=True)
        (each / "data" / "rows.csv").write_text("a,b\n1,2\n")
    (inside / "linked").mkdir()
    (inside / "linked" / "out").symlink_to(outside / "data")
    (inside / "safe").mkdir()
    (inside / "safe" / "in").symlink_to(inside / "data")
    settings = Settings(engine=request.param, warehouse=str(place / "warehouse"), allow_paths=(str(inside),))
    server = ConnectServer(settings)
    session = SparkSession.builder.remote(server.url).create()
    yield Ground(session, inside, outside)
    assert not server.spark.running
    session.stop()
    server.stop()


def condition(run: Callable[[], Any]) -> str | None:
    """Of the error; None if there is none."""
    try:
        run()
    except PySparkException as error:
        return str(error.getCondition())
    except grpc.RpcError as error:  # PySpark hands on those of uploads as they are
        return str(error.details()).partition("]")[0].removeprefix("[")
    return None


def spellings(ground: Ground) -> dict[str, str]:
    """Ways to say a path outside."""
    out, inside = ground.outside, ground.inside
    return {
        "plain": f"{out}/data",
        "file uri": f"file:{out}/data",
        "file uri with authority": f"file://{out}/data",
        "three slashes": f"file://localhost{out}/data",
        "dots": f"{inside}/../outside/data",
        "dots in a uri": f"file:{inside}/../outside/data",
        "encoded dots": f"{inside}/%2e%2e/outside/data",
        "a link": f"{inside}/linked/out",
        "a directory with a link": f"{inside}/linked",
        "a pattern over a link": f"{inside}/*/out",
        "a pattern with dots": f"{inside}/*/../../outside/data",
        "alternatives": f"{inside}/{{data,../outside/data}}",
        "a pattern from above": f"{inside.parent}/*side/data",
        "double slash": f"/{out}/data",
        "neighbour": f"{inside}-not",
        "root": "/",
        "relative": "data",
        "another file system": "s3a://bucket/data",
        "http": "http://localhost/x",
        "nul": f"{inside}/a\0b",
    }


def test_paths_outside_are_refused_however_they_are_written(ground: Ground) -> None:
    reader = ground.spark.read
    said = {name: condition(lambda path=path: reader.csv(path).collect()) for name, path in spellings(ground).items()}
    assert said == dict.fromkeys(said, REFUSED)
    writes = {
        name: condition(lambda path=path: ground.spark.range(1).write.mode("overwrite").parquet(path))
        for name, path in spellings(ground).items()
    }
    assert writes == dict.fromkeys(writes, REFUSED)
    assert sorted(os.listdir(ground.outside / "data")) == ["rows.csv"]


def test_paths_inside_are_read_and_written(ground: Ground) -> None:
    read = ground.spark.read.option("header", True)
    for path in (f"{ground.inside}/data", f"file:{ground.inside}/data/rows.csv", f"{ground.inside}/da*/*.csv"):
        assert [row.a for row in read.csv(path).collect()] == ["1"]
    assert [row.a for row in read.csv(f"{ground.inside}/safe/in").collect()] == ["1"]
    target = f"{ground.inside}/written"
    ground.spark.range(3).write.mode("overwrite").parquet(target)
    assert ground.spark.sql(f"SELECT * FROM parquet.`{target}`").count() == 3
    ground.spark.sql("CREATE TABLE IF NOT EXISTS managed AS SELECT 1 AS x")
    assert ground.spark.table("managed").count() == 1


STATEMENTS = [
    "SELECT * FROM csv.`{out}/data`",
    "SELECT * FROM `csv`.`file:{out}/data`",
    "SELECT * FROM text.`passwd`",
    "SELECT (SELECT count(*) FROM csv.`{out}/data`) AS n",
    "SELECT * FROM IDENTIFIER('csv.`{out}/data`')",
    "SELECT * FROM IDENTIFIER('csv.' || '`{out}/data`')",
    "WITH q AS (TABLE csv.`{out}/data`) SELECT * FROM q",
    "CREATE TABLE t1 USING csv LOCATION '{out}/data'",
    "CREATE TABLE t2 (x INT) USING parquet OPTIONS (path '{out}/new')",
    "CREATE TABLE t3 LIKE managed LOCATION '{out}/new'",
    "CREATE TABLE t4 USING parquet LOCATION '{out}/new' AS SELECT 1 AS x",
    "CREATE TABLE t5 (x INT) USING jdbc OPTIONS (url 'jdbc:sqlite:{out}/x', dbtable 't')",
    "CREATE SCHEMA s LOCATION '{out}/s'",
    "ALTER SCHEMA default SET LOCATION '{out}/s'",
    "ALTER TABLE managed SET LOCATION '{out}/data'",
    "ALTER TABLE managed ADD PARTITION (p = 1) LOCATION '{out}/data'",
    "INSERT OVERWRITE DIRECTORY '{out}/new' USING parquet SELECT 1 AS x",
    "INSERT OVERWRITE LOCAL DIRECTORY '{out}/new' STORED AS parquet SELECT 1 AS x",
    "INSERT INTO csv.`{out}/data` VALUES (1)",
    "LOAD DATA LOCAL INPATH '{out}/data' INTO TABLE managed",
    "CREATE TEMPORARY VIEW v USING csv OPTIONS (path '{out}/data')",
    "CREATE TEMPORARY VIEW v USING jdbc OPTIONS (url 'jdbc:sqlite:{out}/x', dbtable 't')",
    "CREATE VIEW v AS SELECT * FROM csv.`{out}/data`",
    "CREATE TEMPORARY FUNCTION f() RETURNS TABLE (x STRING) RETURN SELECT * FROM text.`{out}/data`",
    "CREATE FUNCTION f AS 'a.b.C' USING JAR '{out}/x.jar'",
    "ADD FILE '{out}/data/rows.csv'",
    "ADD JAR {out}/x.jar",
    'ADD ARCHIVE "{out}/x.zip"',
    "CACHE TABLE c AS SELECT * FROM csv.`{out}/data`",
    "EXPLAIN SELECT * FROM csv.`{out}/data`",
    "DESCRIBE QUERY SELECT * FROM csv.`{out}/data`",
    "REFRESH '{out}/data'",
    "EXECUTE IMMEDIATE 'SELECT * FROM csv.`{out}/data`'",
    "BEGIN SELECT * FROM csv.`{out}/data`; END",
    "SELECT TRANSFORM(1) USING 'cat {out}/data/rows.csv' AS (x)",
    "SELECT java_method('java.nio.file.Files', 'exists')",
    "SELECT reflect('a.B', 'c')",
    "SET fs.defaultFS = viewfs://x",
    "SET spark.sql.catalog.evil.warehouse = {out}",
    "SET spark.sql.sources.default = jdbc",
    "SELECT * FROM ${{spark.app.name}}",
    "SET spark.sql.streaming.checkpointLocation = {out}/checkpoints",
    "SELECT from_xml('<a/>', 'a STRING', map('rowValidationXSDPath', '{out}/data/rows.csv'))",
    "SELECT from_avro(x'00', '\"int\"', map('avroSchemaUrl', concat('{out}', '/data/rows.csv')))",
    "CALL spark_catalog.system.add_files('managed', '`parquet`.`{out}/data`')",
    "THIS IS NO SQL",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_sql_that_names_a_path_outside_is_refused(ground: Ground, statement: str) -> None:
    text = statement.format(out=ground.outside)
    assert condition(lambda: ground.spark.sql(text).collect()) == REFUSED
    assert sorted(os.listdir(ground.outside)) == ["data"]


def test_frames_calls_and_uploads_are_checked(ground: Ground, tmp_path: Path) -> None:
    spark, out = ground.spark, ground.outside
    rows = spark.range(1)
    attempts: list[Callable[[], Any]] = [
        lambda: spark.read.format("csv").option("path", f"{out}/data").load().collect(),
        lambda: spark.read.format("csv").option("paths", f'["{out}/data"]').load().collect(),
        lambda: spark.read.format("jdbc").option("url", f"jdbc:sqlite:{out}/x").option("dbtable", "t").load().collect(),
        lambda: spark.read.format("org.example.Source").load(f"{ground.inside}/data").collect(),
        lambda: spark.read.option("fs.defaultFS", "viewfs://x").csv(f"{ground.inside}/data").collect(),
        lambda: spark.read.option("basePath", f"{out}").csv(f"{ground.inside}/data").collect(),
        lambda: spark.read.csv([f"{ground.inside}/data", f"{out}/data"]).collect(),
        lambda: spark.read.table(f"csv.`{out}/data`").collect(),
        lambda: spark.read.csv(f"{out}/data").schema,
        lambda: spark.read.csv(f"{out}/data").explain(),
        lambda: spark.read.csv(f"{out}/data").createTempView("v2"),
        lambda: rows.selectExpr(f"(SELECT count(*) FROM csv.`{out}/data`)").collect(),
        lambda: rows.filter(f"id IN (SELECT _c0 FROM csv.`{out}/data`)").collect(),
        lambda: rows.write.option("path", f"{out}/new").saveAsTable("t9"),
        lambda: rows.writeTo("t9").tableProperty("location", f"{out}/new").create(),
        lambda: rows.write.format("noop").option("checkpointLocation", f"{out}/new").mode("append").save(),
        lambda: spark.catalog.cacheTable(f"csv.`{out}/data`"),
        lambda: spark.catalog.tableExists(f"csv.`{out}/data`"),
        lambda: spark.catalog.listColumns(f"csv.`{out}/data`"),
        lambda: rows.write.insertInto(f"csv.`{out}/data`"),
        lambda: rows.writeTo(f"parquet.`{out}/new`").append(),
        lambda: rows.select(
            from_xml(lit("<a/>"), "a STRING", {"rowValidationXSDPath": f"{out}/data/rows.csv"})
        ).collect(),
        lambda: spark.conf.set("spark.sql.streaming.checkpointLocation", f"{out}/checkpoints"),
        lambda: spark.catalog.createTable("t9", f"{out}/data", "csv"),
        lambda: spark.catalog.refreshByPath(f"{out}/data"),
        lambda: spark.conf.set("spark.sql.catalog.evil", "iceberg"),
        lambda: spark.conf.set("spark.hadoop.fs.defaultFS", "viewfs://x"),
        lambda: spark.conf.set("spark.sql.sources.default", "jdbc"),
        lambda: spark.copyFromLocalToFs(str(local_file(tmp_path)), f"{out}/copied"),
        lambda: spark.range(1).mapInPandas(lambda batches: batches, "id long").collect(),
    ]
    said = [condition(attempt) for attempt in attempts]
    assert said == [REFUSED] * len(attempts), [at for at, each in enumerate(said) if each != REFUSED]
    assert sorted(os.listdir(out)) == ["data"]


def local_file(place: Path) -> Path:
    file = place / "x.txt"
    file.write_text("x")
    return file


def test_addresses_of_other_file_systems_are_allowed_by_their_beginning() -> None:
    paths = AllowedPaths(("s3a://bucket/data", "/srv/data"))
    assert paths.allows("s3a://bucket/data/x") and paths.allows("/srv/data/x") and paths.allows("file:/srv/data")
    for path in ("s3a://bucket/database", "s3a://bucket/data/../x", "s3a://other/data", "/srv/database", "/srv"):
        assert not paths.allows(path)
