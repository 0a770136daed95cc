"""One behaviour after the other, of tables of every provider: what all do alike, what some refuse in Spark's words."""

import os
from pathlib import Path
from typing import Any

import pytest
from table_helpers import refusal, rows, run

FILES = ("parquet", "orc", "csv", "json")
PROVIDERS = ("iceberg", "delta", *FILES)
REFUSED = "UNSUPPORTED_FEATURE.TABLE_OPERATION"
COLUMNS = "(a INT, b STRING, p INT)"
FILL = "INSERT INTO t VALUES (1, 'x', 1), (2, NULL, 1), (3, 'z', 2)"
ALL = [(1, "x", 1), (2, None, 1), (3, "z", 2)]


class Provided:
    """A session, and the provider of the tables that are asked for."""

    def __init__(self, spark: Any, provider: str) -> None:
        self.spark, self.provider = spark, provider

    @property
    def is_files(self) -> bool:
        return self.provider in FILES

    def make(self, rest: str = "", columns: str = COLUMNS, name: str = "t") -> None:
        run(self.spark, f"CREATE TABLE {name} {columns} USING {self.provider} {rest}")

    def filled(self, rest: str = "") -> None:
        self.make(rest)
        run(self.spark, FILL)

    def rows(self, query: str = "SELECT * FROM t") -> list[tuple[Any, ...]]:
        return rows(self.spark, query)


@pytest.fixture(params=PROVIDERS)
def provided(request: pytest.FixtureRequest, tables: Any) -> Provided:
    return Provided(tables, request.param)


def test_create_and_insert(provided: Provided) -> None:
    provided.filled()
    assert provided.rows() == ALL
    run(provided.spark, "INSERT INTO t (p, a) VALUES (9, 4)", "INSERT INTO t BY NAME SELECT 'w' AS b, 5 AS a, 3 AS p")
    assert provided.rows() == [*ALL, (4, None, 9), (5, "w", 3)]
    assert provided.spark.table("t").filter("a > 3").count() == 2


def test_overwrite(provided: Provided) -> None:
    provided.filled()
    run(provided.spark, "INSERT OVERWRITE t VALUES (7, 'new', 7)")
    assert provided.rows() == [(7, "new", 7)]
    run(provided.spark, "TRUNCATE TABLE t")
    assert provided.rows() == []


def test_partitions(provided: Provided) -> None:
    provided.filled("PARTITIONED BY (p)")
    run(provided.spark, "INSERT OVERWRITE t PARTITION (p = 1) VALUES (8, 'only')")
    assert provided.rows() == [(3, "z", 2), (8, "only", 1)]
    assert provided.rows("SELECT a FROM t WHERE p = 2") == [(3,)]
    run(provided.spark, "INSERT OVERWRITE t VALUES (9, 'all', 3)")
    assert provided.rows() == [(9, "all", 3)]


def test_dynamic_overwrite(provided: Provided) -> None:
    provided.filled("PARTITIONED BY (p)")
    provided.spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    overwrite = "INSERT OVERWRITE t VALUES (8, 'only', 1)"
    if provided.provider == "delta":
        assert refusal(provided.spark, overwrite) == REFUSED
        assert provided.rows() == ALL
        return
    run(provided.spark, overwrite)
    assert provided.rows() == [(3, "z", 2), (8, "only", 1)]


CHANGES = {
    "DELETE FROM t WHERE a = 1": ALL[1:],
    "UPDATE t SET b = 'u' WHERE b IS NULL": [ALL[0], (2, "u", 1), ALL[2]],
    "MERGE INTO t USING (SELECT 3 AS k) s ON t.a = s.k WHEN MATCHED THEN DELETE": ALL[:2],
    "INSERT INTO t REPLACE WHERE p = 1 VALUES (9, 'r', 1)": [(3, "z", 2), (9, "r", 1)],
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_of_rows(change: str, provided: Provided) -> None:
    provided.filled()
    if provided.is_files:
        assert refusal(provided.spark, change) == REFUSED
        assert provided.rows() == ALL
        return
    run(provided.spark, change)
    assert provided.rows() == CHANGES[change]


def test_new_columns(provided: Provided) -> None:
    provided.filled()
    run(provided.spark, "ALTER TABLE t ADD COLUMN c STRING", "INSERT INTO t VALUES (4, 'n', 4, 'new')")
    assert provided.rows() == [*((*row, None) for row in ALL), (4, "n", 4, "new")]


@pytest.mark.parametrize(
    "change", ["RENAME COLUMN b TO z", "DROP COLUMN b", "ALTER COLUMN b FIRST", "ADD COLUMN c INT NOT NULL"]
)
def test_changes_of_columns(change: str, provided: Provided) -> None:
    provided.filled()
    said = refusal(provided.spark, f"ALTER TABLE t {change}")
    assert (said is None) == (provided.provider == "iceberg" and "NOT NULL" not in change)
    columns = {
        "RENAME COLUMN b TO z": ["a", "z", "p"],
        "DROP COLUMN b": ["a", "p"],
        "ALTER COLUMN b FIRST": ["b", "a", "p"],
    }
    assert provided.spark.table("t").columns == (columns[change] if said is None else ["a", "b", "p"])
    assert provided.spark.table("t").count() == 3


def test_time_travel(provided: Provided) -> None:
    provided.filled()
    if provided.is_files:
        assert refusal(provided.spark, "SELECT * FROM t VERSION AS OF 0") == "UNSUPPORTED_FEATURE.TIME_TRAVEL"
        return
    first = provided.rows("SELECT snapshot_id FROM t.snapshots")[0][0] if provided.provider == "iceberg" else 1
    run(provided.spark, "INSERT OVERWRITE t VALUES (7, 'new', 7)")
    assert provided.rows(f"SELECT * FROM t VERSION AS OF {first}") == ALL
    assert provided.rows() == [(7, "new", 7)]


def test_rename_and_drop(provided: Provided) -> None:
    provided.filled("PARTITIONED BY (p)")
    run(provided.spark, "ALTER TABLE t RENAME TO t2")
    assert provided.rows("SELECT * FROM t2") == ALL
    assert refusal(provided.spark, "SELECT * FROM t") == "TABLE_OR_VIEW_NOT_FOUND"
    provided.make(columns="(other INT)")
    assert provided.rows() == []
    run(provided.spark, "DROP TABLE t2", "DROP TABLE t")
    assert provided.rows("SHOW TABLES") == []


def test_described(provided: Provided) -> None:
    provided.filled("COMMENT 'words' TBLPROPERTIES ('k' = 'v')")
    assert provided.rows("DESCRIBE t") == [("a", "int", None), ("b", "string", None), ("p", "int", None)]
    made = provided.spark.sql("SHOW CREATE TABLE t").collect()[0][0]
    assert f"USING {provided.provider}" in made and "COMMENT 'words'" in made and "'k' = 'v'" in made
    assert provided.rows("SHOW TBLPROPERTIES t ('k')") == [("k", "v")]
    assert [column.name for column in provided.spark.catalog.listColumns("t")] == ["a", "b", "p"]


def test_defaults(provided: Provided) -> None:
    provided.make(columns="(a INT, b STRING DEFAULT 'd', p INT DEFAULT 40 + 2)")
    run(provided.spark, "INSERT INTO t (a) VALUES (1)", "INSERT INTO t VALUES (2, DEFAULT, 3)")
    assert provided.rows() == [(1, "d", 42), (2, "d", 3)]


def test_not_null(provided: Provided) -> None:
    provided.make(columns="(a INT NOT NULL, b STRING)")
    run(provided.spark, "INSERT INTO t VALUES (1, NULL)")
    said = refusal(provided.spark, "INSERT INTO t VALUES (NULL, 'x')")
    # Spark's own tables of files do not keep NOT NULL.
    assert said == (None if provided.is_files else "NOT_NULL_ASSERT_VIOLATION")
    assert provided.rows() == [(1, None), (None, "x")][: 1 + provided.is_files]


def test_lengths(provided: Provided) -> None:
    provided.make(columns="(c CHAR(4), v VARCHAR(3))")
    run(provided.spark, "INSERT INTO t VALUES ('ab', 'abc')")
    assert provided.rows() == [("ab  ", "abc")]
    assert refusal(provided.spark, "INSERT INTO t VALUES ('ab', 'abcd')") == "EXCEED_LIMIT_LENGTH"
    assert provided.rows("SELECT count(*) FROM t WHERE c = 'ab  '") == [(1,)]


def test_as_select_and_like(provided: Provided) -> None:
    run(provided.spark, f"CREATE TABLE s USING {provided.provider} AS SELECT id, concat('n', id) AS n FROM range(3)")
    assert provided.rows("SELECT * FROM s") == [(0, "n0"), (1, "n1"), (2, "n2")]
    run(provided.spark, "CREATE TABLE l LIKE s", "INSERT INTO l SELECT * FROM s WHERE id > 1")
    assert provided.rows("SELECT * FROM l") == [(2, "n2")]
    failing = f"CREATE TABLE f USING {provided.provider} AS SELECT CAST('q' || id AS INT) AS x FROM range(3)"
    assert refusal(provided.spark, failing) == "CAST_INVALID_INPUT"
    assert ("mine", "f", False) not in provided.rows("SHOW TABLES")


def test_a_failed_overwrite_changes_nothing(provided: Provided) -> None:
    provided.filled()
    failing = "INSERT OVERWRITE t SELECT CAST('q' || id AS INT), 'x', 1 FROM range(3)"
    assert refusal(provided.spark, failing) == "CAST_INVALID_INPUT"
    assert provided.rows() == ALL


def test_somewhere_else(provided: Provided, tmp_path: Path) -> None:
    place = str(tmp_path / "place")
    provided.filled(f"LOCATION '{place}'")
    assert os.listdir(place)
    run(provided.spark, "DROP TABLE t")
    if provided.is_files:
        provided.make(f"LOCATION '{place}'")
        assert provided.rows() == ALL


def test_frames(provided: Provided) -> None:
    frame = provided.spark.sql("SELECT * FROM VALUES (1, 'x', 1), (2, NULL, 1), (3, 'z', 2) t(a, b, p)")
    frame.write.format(provided.provider).saveAsTable("t")
    frame.write.format(provided.provider).mode("append").saveAsTable("t")
    assert provided.rows() == sorted([*ALL, *ALL], key=repr)
    frame.write.insertInto("t", overwrite=True)
    assert provided.rows() == ALL
    frame.limit(1).write.format(provided.provider).mode("overwrite").saveAsTable("t")
    assert provided.rows() == ALL[:1]


def test_a_view_follows_its_table(provided: Provided) -> None:
    provided.filled()
    run(provided.spark, "CREATE VIEW v AS SELECT p, count(*) AS n FROM t GROUP BY p")
    assert provided.rows("SELECT * FROM v") == [(1, 2), (2, 1)]
    run(provided.spark, "INSERT INTO t VALUES (4, 'q', 2)")
    assert provided.rows("SELECT * FROM v") == [(1, 2), (2, 2)]


def test_lines_of_text(tables: Any) -> None:
    """A table of text has one column."""
    provided = Provided(tables, "text")
    provided.make(columns="(line STRING)")
    run(tables, "INSERT INTO t VALUES ('one'), ('two  ')")
    assert provided.rows() == [("one",), ("two  ",)]
    assert refusal(tables, "DELETE FROM t WHERE line = 'one'") == REFUSED
    run(tables, "TRUNCATE TABLE t")
    assert provided.rows() == []
