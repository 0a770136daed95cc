"""What a Delta table asks of those who write to it: CHECK constraints, rows that stay, values of its partitions."""

import json
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from pyspark.errors import PySparkException
from table_helpers import refusal, rows, run

VIOLATED = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
APPEND_ONLY = "DELTA_CANNOT_MODIFY_APPEND_ONLY"
CHECKED = "CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.constraints.pos' = 'id > 0')"


def test_rows_that_violate_a_constraint_are_not_written(tables: Any) -> None:
    run(tables, CHECKED, "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    assert refusal(tables, "INSERT INTO t VALUES (3, 'c'), (-1, 'd')") == VIOLATED
    assert refusal(tables, "INSERT INTO t VALUES (NULL, 'd')") == VIOLATED
    assert refusal(tables, "INSERT OVERWRITE t VALUES (0, 'd')") == VIOLATED
    assert refusal(tables, "UPDATE t SET id = -id WHERE v = 'b'") == VIOLATED
    merge = (
        "MERGE INTO t USING (SELECT {} AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'm')"
    )
    assert refusal(tables, merge.format(-5)) == VIOLATED
    assert rows(tables, "SELECT * FROM t") == [(1, "a"), (2, "b")]
    run(tables, merge.format(5), "UPDATE t SET id = id + 1 WHERE v = 'a'", "DELETE FROM t WHERE v = 'b'")
    assert rows(tables, "SELECT * FROM t") == [(2, "a"), (5, "m")]


def test_a_constraint_sees_only_the_rows_that_are_written(tables: Any) -> None:
    run(tables, CHECKED, "INSERT INTO t SELECT id - 5, 'x' FROM range(10) WHERE id > 7")
    assert rows(tables, "SELECT id FROM t") == [(3,), (4,)]


def test_the_error_names_the_constraint_and_the_values(tables: Any) -> None:
    condition = "TBLPROPERTIES ('delta.constraints.c' = 'n > 1 AND d > \"2000-01-01\"')"
    run(tables, f"CREATE TABLE t (d DATE, n INT) USING delta {condition}")
    with pytest.raises(PySparkException) as caught:
        tables.sql("INSERT INTO t VALUES (DATE'1970-01-11', NULL)").collect()
    told = caught.value.getMessageParameters()
    assert told is not None
    assert (told["constraintName"], told["values"]) == ("c", " - d : 10\n - n : null")
    assert told["expression"].startswith("((n > 1) AND (d > ")


def test_create_as_select_and_data_frames_are_checked(tables: Any) -> None:
    definition = "CREATE TABLE {} USING delta TBLPROPERTIES ('delta.constraints.pos' = 'id > 0') AS SELECT {} AS id"
    assert refusal(tables, definition.format("bad", -1)) == VIOLATED
    assert refusal(tables, "SELECT * FROM bad") == "TABLE_OR_VIEW_NOT_FOUND"
    run(tables, definition.format("good", 1))
    frame = tables.sql("SELECT -1 AS id")
    for write in (
        lambda: frame.write.insertInto("good"),
        lambda: frame.write.mode("append").format("delta").saveAsTable("good"),
        lambda: frame.writeTo("good").append(),
    ):
        with pytest.raises(PySparkException) as caught:
            write()
        assert caught.value.getCondition() == VIOLATED
    assert rows(tables, "SELECT * FROM good") == [(1,)]


def test_constraints_come_and_go_by_alter_table(tables: Any) -> None:
    run(tables, "CREATE TABLE t (id INT) USING delta", "INSERT INTO t VALUES (-1)")
    assert refusal(tables, "ALTER TABLE t ADD CONSTRAINT pos CHECK (id > 0)") == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    assert refusal(tables, "ALTER TABLE t ADD CONSTRAINT c CHECK (id + 1)") == "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"
    assert (
        refusal(tables, "ALTER TABLE t SET TBLPROPERTIES ('delta.constraints.c' = 'id > 0')") == "DELTA_ADD_CONSTRAINTS"
    )
    run(tables, "DELETE FROM t", "ALTER TABLE t ADD CONSTRAINT Pos CHECK (id > 0)")
    assert refusal(tables, "INSERT INTO t VALUES (-1)") == VIOLATED
    assert refusal(tables, "ALTER TABLE t ADD CONSTRAINT pos CHECK (id > 1)") == "DELTA_CONSTRAINT_ALREADY_EXISTS"
    run(tables, "ALTER TABLE t DROP CONSTRAINT pos", "INSERT INTO t VALUES (-1)")
    assert refusal(tables, "ALTER TABLE t DROP CONSTRAINT pos") == "DELTA_CONSTRAINT_DOES_NOT_EXIST"
    run(tables, "ALTER TABLE t DROP CONSTRAINT IF EXISTS pos")


def test_constraints_of_another_writer_hold(tables: Any, tmp_path: Path) -> None:
    run(tables, f"CREATE TABLE t (id INT) USING delta LOCATION '{tmp_path}/t'")
    DeltaTable(tmp_path / "t").alter.add_constraint({"pos": "id > 0"})
    run(tables, "INSERT INTO t VALUES (1)")
    assert refusal(tables, "INSERT INTO t VALUES (-1)") == VIOLATED


def test_rows_of_an_append_only_table_stay(tables: Any, tmp_path: Path) -> None:
    run(
        tables,
        f"CREATE TABLE t (id INT) USING delta LOCATION '{tmp_path}/t' TBLPROPERTIES ('delta.appendOnly' = 'true')",
        "INSERT INTO t VALUES (1)",
        "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    )
    for change in (
        "DELETE FROM t WHERE id = 9",
        "UPDATE t SET id = 3",
        "INSERT OVERWRITE t VALUES (4)",
        "TRUNCATE TABLE t",
        "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT 5 AS id",
    ):
        assert refusal(tables, change) == APPEND_ONLY, change
    assert rows(tables, "SELECT * FROM t") == [(1,), (2,)]
    assert DeltaTable(tmp_path / "t").metadata().configuration["delta.appendOnly"] == "true"
    run(tables, "ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'false')", "DELETE FROM t WHERE id = 1")
    assert rows(tables, "SELECT * FROM t") == [(2,)]


@pytest.mark.parametrize(
    "type, literals",
    [
        ("TIMESTAMP", ["TIMESTAMP'2024-01-02 03:04:05.678'", "TIMESTAMP'1969-12-31 23:59:59Z'"]),
        ("TIMESTAMP_NTZ", ["TIMESTAMP_NTZ'2024-01-02 03:04:05.000001'"]),
        ("DATE", ["DATE'2024-01-02'", "DATE'0012-01-02'"]),
        ("DECIMAL(10, 2)", ["1.50", "0.01"]),
        ("DOUBLE", ["1.5D", "double('NaN')", "double('-Infinity')"]),
        ("BOOLEAN", ["true", "false"]),
        ("BINARY", ["X'00FF'", "X'61'"]),
        ("STRING", ["'a b/c=%''\\\\'", "'é'"]),
    ],
)
def test_partitions_of_every_type_are_read_as_written(tables: Any, type: str, literals: list[str]) -> None:
    run(tables, f"CREATE TABLE t (id INT, p {type}) USING delta PARTITIONED BY (p)")
    for at, literal in enumerate([*literals, "NULL"]):
        run(tables, f"INSERT INTO t VALUES ({at}, {literal})")
        assert rows(tables, f"SELECT id FROM t WHERE p <=> CAST({literal} AS {type})") == [(at,)]
    run(tables, "DELETE FROM t WHERE id = 0")
    assert rows(tables, "SELECT count(*), count(p) FROM t") == [(len(literals), len(literals) - 1)]


def test_negative_decimals_do_not_become_partitions_that_nobody_can_read(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t (id INT, p DECIMAL(10, 2)) USING delta PARTITIONED BY (p)",
        "INSERT INTO t VALUES (1, 1)",
    )
    assert refusal(tables, "INSERT INTO t VALUES (2, -0.01)") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert refusal(tables, "UPDATE t SET p = -p") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert rows(tables, "SELECT id FROM t") == [(1,)]


def test_an_empty_text_of_a_partition_is_null(tables: Any) -> None:
    run(tables, "CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)", "INSERT INTO t VALUES (1, '')")
    assert rows(tables, "SELECT id, p FROM t") == [(1, None)]


def test_files_whose_directories_do_not_name_their_partitions(tables: Any, tmp_path: Path) -> None:
    """Delta's log tells the values; where a file lies says nothing."""
    run(tables, f"CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p) LOCATION '{tmp_path}/t'")
    run(tables, "INSERT INTO t VALUES (1, 7)")
    log = tmp_path / "t" / "_delta_log" / "00000000000000000001.json"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    added = next(line["add"] for line in lines if "add" in line)
    (tmp_path / "t" / added["path"]).rename(tmp_path / "t" / "plain.parquet")
    added["path"] = "plain.parquet"
    log.write_text("\n".join(map(json.dumps, lines)))
    assert rows(tables, "SELECT * FROM t WHERE p = 7") == [(1, 7)]


def test_a_schema_that_is_not_the_tables(tables: Any, tmp_path: Path) -> None:
    place = f"USING delta LOCATION '{tmp_path}/t'"
    run(tables, f"CREATE TABLE t (id INT, v STRING) {place}", "INSERT INTO t VALUES (1, 'a')")
    run(tables, f"CREATE TABLE same (id INT, v STRING) {place}", f"CREATE TABLE none {place}")
    assert rows(tables, "SELECT * FROM same UNION ALL SELECT * FROM none") == [(1, "a"), (1, "a")]
    assert refusal(tables, f"CREATE TABLE other (x DATE) {place}") == "DELTA_CREATE_TABLE_SCHEME_MISMATCH"


def test_an_overwriting_data_frame_keeps_the_table(tables: Any) -> None:
    run(tables, f"{CHECKED[:-1]}, 'delta.appendOnly' = 'true')", "INSERT INTO t VALUES (1, 'a')")
    for rows_of, condition in (("SELECT 2 AS id, 'b' AS v", APPEND_ONLY), ("SELECT 2 AS other", APPEND_ONLY)):
        with pytest.raises(PySparkException) as caught:
            tables.sql(rows_of).write.format("delta").mode("overwrite").saveAsTable("t")
        assert caught.value.getCondition() == condition
    run(tables, "ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'false')")
    with pytest.raises(PySparkException) as caught:
        tables.sql("SELECT -2 AS id, 'b' AS v").write.format("delta").mode("overwrite").saveAsTable("t")
    assert caught.value.getCondition() == VIOLATED
    tables.sql("SELECT 'c' AS v, 3 AS id").write.format("delta").mode("overwrite").saveAsTable("t")
    assert rows(tables, "SELECT * FROM t") == [(3, "c")]
    assert refusal(tables, "INSERT INTO t VALUES (-1, 'd')") == VIOLATED
    assert rows(tables, "SELECT * FROM t VERSION AS OF 1") == [(1, "a")]
