"""What is done with a hostile name: statements by operation, and what came of them in comparable words."""

import os
from collections.abc import Callable
from typing import Any

from pyspark.errors import PySparkException

NAMES = [
    *("..", ".", "../evil", "a/b", "a\\b", "a.b", "a b", "a%2fb", "a`b", "a\0b", "n" * 300, "n" * 128),
    *("é", "😀", "a\u202eb", "a\nb", "a:b", "a*b", "a'b", 'a"b', "-", "", "a;b", "{a}", "#", " a", "a "),
    *("a\u200bb", "e\u0301", "/etc/x", "file:/tmp/x", "%", "~", "$x", "__HIVE_DEFAULT_PARTITION__"),
    *("\uff41", "İ", "ß", "1a", "_x", "select", "default", "global_temp", "CamelCase", "\ufeffx", "x=y"),
    *("a?b", "a\tb", "a\x01b", "\x7f", "a,b", "a-b"),
]
FILES, SAVE = "-- files", "-- save"  # what is no SQL: which directories hold files, DataFrame.saveAsTable
PLAIN = "DROP TABLE IF EXISTS plain"


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


OPERATIONS: dict[str, Callable[[str], list[str]]] = {
    "create schema": lambda q: [f"CREATE SCHEMA {q}", f"DROP SCHEMA {q}"],
    "create table": lambda q: [
        f"CREATE TABLE {q} (x INT) USING parquet",
        f"INSERT INTO {q} VALUES (1)",
        f"DESCRIBE EXTENDED {q}",
        f"SELECT * FROM {q}",
        f"DROP TABLE {q}",
    ],
    "rename table": lambda q: [
        "CREATE TABLE plain (x INT) USING parquet",
        f"ALTER TABLE plain RENAME TO {q}",
        f"DROP TABLE {q}",
        PLAIN,
    ],
    "create view": lambda q: [f"CREATE VIEW {q} AS SELECT 1 AS x", f"SELECT * FROM {q}", f"DROP VIEW {q}"],
    "temp view": lambda q: [f"CREATE TEMPORARY VIEW {q} AS SELECT 1 AS x", f"SELECT * FROM {q}", f"DROP VIEW {q}"],
    "global temp view": lambda q: [
        f"CREATE GLOBAL TEMPORARY VIEW {q} AS SELECT 1 AS x",
        f"SELECT * FROM global_temp.{q}",
        f"DROP VIEW global_temp.{q}",
    ],
    "create function": lambda q: [
        f"CREATE FUNCTION {q}(a INT) RETURNS INT RETURN a + 1",
        f"SELECT {q}(1) AS x",
        f"DROP FUNCTION {q}",
    ],
    "temp function": lambda q: [
        f"CREATE TEMPORARY FUNCTION {q}(a INT) RETURNS INT RETURN a + 1",
        f"SELECT {q}(1) AS x",
        f"DROP TEMPORARY FUNCTION {q}",
    ],
    "column": lambda q: [
        f"CREATE TABLE plain ({q} INT) USING parquet",
        "INSERT INTO plain VALUES (1)",
        "SELECT * FROM plain",
        PLAIN,
    ],
    "partition column": lambda q: [
        f"CREATE TABLE plain (y INT, {q} INT) USING parquet PARTITIONED BY ({q})",
        "INSERT INTO plain VALUES (1, 2)",
        FILES,
        "SELECT * FROM plain",
        PLAIN,
    ],
    "partition value": lambda q: [
        "CREATE TABLE plain (y INT, p STRING) USING parquet PARTITIONED BY (p)",
        "INSERT INTO plain VALUES (1, :p)",
        FILES,
        "SELECT * FROM plain",
        "SHOW PARTITIONS plain",
        PLAIN,
    ],
    "use": lambda q: [f"USE {q}"],
    "read": lambda q: [f"SELECT * FROM {q}"],
    "read in schema": lambda q: [f"SELECT * FROM {q}.t"],
    "drop schema": lambda q: [f"DROP SCHEMA IF EXISTS {q}"],
    "saveAsTable": lambda q: [SAVE],
}


def outcomes(spark: Any, warehouse: str, operation: str, name: str) -> list[Any]:
    return [outcome(spark, warehouse, statement, name) for statement in OPERATIONS[operation](quoted(name))]


def outcome(spark: Any, warehouse: str, statement: str, name: str) -> Any:
    """Rows, or `!` and the condition (the class, where there is none)."""
    try:
        return answer(spark, warehouse, statement, name)
    except PySparkException as error:
        return f"!{error.getCondition() or type(error).__name__}"


def answer(spark: Any, warehouse: str, statement: str, name: str) -> Any:
    if statement == FILES:
        return directories_with_files(warehouse)
    if statement == SAVE:
        spark.range(1).write.saveAsTable(quoted(name))
        spark.sql(f"DROP TABLE {quoted(name)}")
        return "ok"
    rows = spark.sql(statement, {"p": name} if ":p" in statement else None).collect()
    if statement.startswith("DESCRIBE"):
        assert all(row[1].startswith(f"file:{warehouse}/") for row in rows if row[0] == "Location")
        return "located"
    return [list(map(str, row)) for row in rows][:3]


def directories_with_files(warehouse: str) -> list[str]:
    found = os.walk(os.path.join(warehouse, "plain"))
    return sorted(
        {os.path.relpath(b, warehouse) for b, _, files in found if any(f.endswith(".parquet") for f in files)}
    )
