"""Options of tables of files: those of readers do not concern writes, those of writers do not concern reads."""

from typing import Any

import pytest
from table_helpers import refusal, rows, run


@pytest.mark.parametrize(
    "options", ["mode 'FAILFAST'", "mode 'DROPMALFORMED', header 'true'", "inferSchema 'true'", "compression 'gzip'"]
)
def test_csv_tables_are_written_and_read(tables: Any, options: str) -> None:
    """Recorded from Spark 4.2.1: CSVOptions of the writer ignore the reader's options, and the other way round."""
    run(tables, f"CREATE TABLE t (a INT, p INT) USING csv OPTIONS ({options}) PARTITIONED BY (p)")
    run(tables, "INSERT INTO t VALUES (1, 2)", "INSERT INTO t PARTITION (p = 3) VALUES (4)")
    run(tables, "INSERT OVERWRITE t PARTITION (p = 3) VALUES (5)")
    assert rows(tables, "SELECT * FROM t") == [(1, 2), (5, 3)]


@pytest.mark.parametrize("format, codec", [("json", "gzip"), ("parquet", "zstd"), ("orc", "zlib")])
def test_compressed_tables_are_read(tables: Any, format: str, codec: str) -> None:
    run(tables, f"CREATE TABLE t (a INT) USING {format} OPTIONS (compression '{codec}')", "INSERT INTO t VALUES (1)")
    assert rows(tables, "SELECT * FROM t") == [(1,)]


def test_options_of_writers_that_only_spark_supports(tables: Any) -> None:
    run(tables, "CREATE TABLE t (a INT) USING csv OPTIONS (quoteAll 'true')")
    assert refusal(tables, "INSERT INTO t VALUES (1)") == "TWINSPARK_NOT_NATIVE"
