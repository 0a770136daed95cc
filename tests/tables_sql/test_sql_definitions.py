"""CREATE, REPLACE, ALTER and DROP on Iceberg tables: what Spark's own tables refuse, these do, atomically."""

from pathlib import Path
from typing import Any

from table_helpers import refusal, rows, run


def test_partition_transforms(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE e (id BIGINT, ts TIMESTAMP, s STRING) PARTITIONED BY (days(ts), bucket(4, id), truncate(2, s))",
        "INSERT INTO e SELECT id, timestamp_seconds(id * 86400), CAST(id AS STRING) FROM range(5)",
        "INSERT INTO e VALUES (9, NULL, NULL)",
    )
    assert rows(tables, "SELECT id FROM e WHERE ts >= TIMESTAMP'1970-01-03 00:00:00'") == [(2,), (3,), (4,)]
    assert len(tables.sql("SELECT * FROM e WHERE ts = TIMESTAMP'1970-01-03 00:00:00'").inputFiles()) == 1
    assert rows(tables, "SELECT count(*) FROM e") == [(6,)]
    assert refusal(tables, "CREATE TABLE f (a STRING) PARTITIONED BY (days(a))") == "UNSUPPORTED_PARTITION_TRANSFORM"
    assert refusal(tables, "CREATE TABLE f (a INT) PARTITIONED BY (nosuch(a))") == "UNSUPPORTED_PARTITION_TRANSFORM"


def test_replacing_keeps_history(tables: Any) -> None:
    run(tables, "CREATE TABLE t AS SELECT 1 AS a", "CREATE OR REPLACE TABLE t AS SELECT 'x' AS b, a FROM t")
    assert rows(tables, "SELECT * FROM t") == [("x", 1)]
    [(first,)] = tables.sql("SELECT snapshot_id FROM t.history ORDER BY made_current_at LIMIT 1").collect()
    assert rows(tables, f"SELECT * FROM t VERSION AS OF {first}") == [(1,)]
    run(tables, "REPLACE TABLE t (c INT)")
    assert rows(tables, "SELECT * FROM t") == []
    assert tables.table("t").columns == ["c"]
    assert refusal(tables, "REPLACE TABLE nosuch (a INT)") == "TABLE_OR_VIEW_NOT_FOUND"
    run(tables, "CREATE OR REPLACE TABLE fresh AS SELECT 5 AS a")
    assert rows(tables, "SELECT * FROM fresh") == [(5,)]


def test_a_failed_query_leaves_nothing(tables: Any) -> None:
    run(tables, "CREATE TABLE t AS SELECT 1 AS a")
    failing = "SELECT CAST(if(id = 90000, 'x', '1') AS INT) AS a FROM range(100000)"
    assert refusal(tables, f"CREATE TABLE u AS {failing}") == "CAST_INVALID_INPUT"
    assert refusal(tables, "SELECT * FROM u") == "TABLE_OR_VIEW_NOT_FOUND"
    for statement in ("REPLACE TABLE t AS", "INSERT OVERWRITE t", "INSERT INTO t"):
        assert refusal(tables, f"{statement} {failing}") == "CAST_INVALID_INPUT"
    assert refusal(tables, f"CREATE TABLE p USING parquet AS {failing}") == "CAST_INVALID_INPUT"
    assert refusal(tables, "SELECT * FROM p") == "TABLE_OR_VIEW_NOT_FOUND"
    assert rows(tables, "SELECT * FROM t") == [(1,)]


def test_every_alteration(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRING>, b STRING)",
        "INSERT INTO t VALUES (1, named_struct('x', 10, 'y', 'q'), 'b')",
        "ALTER TABLE t ADD COLUMN c INT FIRST",
        "ALTER TABLE t ADD COLUMNS (d INT AFTER a, s.z DOUBLE)",
        "ALTER TABLE t RENAME COLUMN b TO bb",
        "ALTER TABLE t RENAME COLUMN s.x TO xx",
        "ALTER TABLE t ALTER COLUMN a TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN bb FIRST",
        "ALTER TABLE t ALTER COLUMN bb COMMENT 'texts'",
        "ALTER TABLE t DROP COLUMN c",
        "ALTER TABLE t DROP COLUMNS IF EXISTS (nosuch, d)",
        "INSERT INTO t VALUES ('new', 2, named_struct('xx', 1, 'y', 'r', 'z', 0.5))",
    )
    assert tables.table("t").schema.simpleString() == "struct<bb:string,a:bigint,s:struct<xx:int,y:string,z:double>>"
    assert tables.table("t").schema["bb"].metadata == {"comment": "texts"}
    assert rows(tables, "SELECT * FROM t") == [("b", 1, (10, "q", None)), ("new", 2, (1, "r", 0.5))]
    assert refusal(tables, "ALTER TABLE t ALTER COLUMN a TYPE INT") == "NOT_SUPPORTED_CHANGE_COLUMN"
    assert refusal(tables, "ALTER TABLE t DROP COLUMN nosuch") == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert refusal(tables, "ALTER TABLE t ADD COLUMN a INT") == "FIELD_ALREADY_EXISTS"
    run(tables, "ALTER TABLE t REPLACE COLUMNS (n INT)")
    assert rows(tables, "SELECT * FROM t") == [(None,), (None,)]


def test_names_used_again_are_new_columns(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t AS SELECT 1 AS a, 2 AS b",
        "ALTER TABLE t RENAME COLUMN a TO c",
        "ALTER TABLE t RENAME COLUMN b TO a",
        "ALTER TABLE t RENAME COLUMN c TO b",
        "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE t ADD COLUMN b STRING",
        "INSERT INTO t VALUES (5, 'x')",
    )
    assert rows(tables, "SELECT a, b FROM t") == [(2, None), (5, "x")]
    assert rows(tables, "SELECT a FROM t WHERE b IS NULL") == [(2,)]


def test_defaults_of_old_and_new_rows(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t AS SELECT 1 AS a",
        "ALTER TABLE t ADD COLUMN b INT DEFAULT 40 + 2",
        "INSERT INTO t (a) VALUES (2)",
        "ALTER TABLE t ALTER COLUMN b SET DEFAULT 7",
        "INSERT INTO t VALUES (3, DEFAULT)",
        "ALTER TABLE t ALTER COLUMN b DROP DEFAULT",
        "INSERT INTO t (a) VALUES (4)",
    )
    assert rows(tables, "SELECT * FROM t") == [(1, 42), (2, 42), (3, 7), (4, None)]


def test_required_columns(tables: Any) -> None:
    run(tables, "CREATE TABLE t (a INT NOT NULL, b INT)", "INSERT INTO t VALUES (1, NULL)")
    assert refusal(tables, "INSERT INTO t VALUES (NULL, 1)") == "NOT_NULL_ASSERT_VIOLATION"
    assert refusal(tables, "INSERT INTO t (b) VALUES (1)") == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA"
    assert refusal(tables, "UPDATE t SET a = b") == "NOT_NULL_ASSERT_VIOLATION"
    assert refusal(tables, "ALTER TABLE t ALTER COLUMN b SET NOT NULL") == "NOT_NULL_ASSERT_VIOLATION"
    run(tables, "ALTER TABLE t ALTER COLUMN a DROP NOT NULL", "INSERT INTO t VALUES (NULL, 1)")
    assert rows(tables, "SELECT * FROM t") == [(1, None), (None, 1)]


def test_tables_of_files(tables: Any, tmp_path: Any) -> None:
    place = tmp_path / "place"
    run(
        tables,
        f"CREATE TABLE p (a INT, b STRING) USING parquet LOCATION '{place}'",
        "INSERT INTO p VALUES (1, 'x')",
        "ALTER TABLE p ADD COLUMN c DOUBLE",
        "INSERT INTO p VALUES (2, 'y', 0.5)",
        "CREATE TABLE c (a INT, b STRING) USING csv OPTIONS (header 'true')",
        "INSERT INTO c VALUES (1, 'q')",
    )
    assert rows(tables, "SELECT * FROM p") == [(1, "x", None), (2, "y", 0.5)]
    assert rows(tables, "SELECT * FROM c") == [(1, "q")]
    assert refusal(tables, "DELETE FROM p") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert refusal(tables, "REPLACE TABLE p AS SELECT 1 AS a") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert refusal(tables, "ALTER TABLE p DROP COLUMN a") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    run(tables, "DROP TABLE p")
    assert rows(tables, f"SELECT count(*) FROM parquet.`{place}`") == [(2,)]


def test_managed_files_go_with_the_table(tables: Any) -> None:
    run(tables, "CREATE TABLE t AS SELECT 1 AS a")
    [file] = tables.table("t").inputFiles()
    run(tables, "DROP TABLE t")
    assert refusal(tables, f"SELECT * FROM parquet.`{file}`") == "PATH_NOT_FOUND"


def test_names_in_other_databases(tables: Any) -> None:
    run(
        tables,
        "CREATE DATABASE IF NOT EXISTS other",
        "CREATE TABLE other.t AS SELECT 1 AS a",
        "ALTER TABLE other.t RENAME TO other.u",
        "CREATE TABLE u AS SELECT a + 1 AS a FROM spark_catalog.other.U",
    )
    assert rows(tables, "SELECT x.a, u.a FROM other.u AS x, u") == [(1, 2)]
    assert refusal(tables, "SELECT * FROM nosuch.other.u") == "REQUIRES_SINGLE_PART_NAMESPACE"
    run(tables, "DROP DATABASE other CASCADE")


def test_where_files_lie(tables: Any, tmp_path: Path) -> None:
    run(tables, "CREATE TABLE f (i INT) USING parquet", f"ALTER TABLE f SET LOCATION '{tmp_path}/other'")
    run(tables, "INSERT INTO f VALUES (5)")
    assert rows(tables, "SELECT * FROM f") == [(5,)]
    run(tables, f"ALTER TABLE f SET LOCATION '{tmp_path}/none'")
    assert rows(tables, "SELECT * FROM f") == []
    run(tables, f"ALTER TABLE f SET LOCATION '{tmp_path}/other'")
    assert rows(tables, "SELECT * FROM f") == [(5,)]


def test_partitions_of_tables_that_manage_their_own(tables: Any) -> None:
    unsupported = "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED"
    run(tables, "CREATE TABLE p (i INT, k INT) PARTITIONED BY (k)", "INSERT INTO p VALUES (1, 2)")
    assert refusal(tables, "SHOW PARTITIONS p") == unsupported
    assert refusal(tables, "ALTER TABLE p ADD PARTITION (k = 1)") == unsupported
    assert refusal(tables, "TRUNCATE TABLE p PARTITION (k = 2)") == unsupported
    assert rows(tables, "SELECT partition.k, record_count FROM p.partitions") == [(2, 1)]
