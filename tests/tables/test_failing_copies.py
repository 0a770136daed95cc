"""A COPY whose query fails comes back: with DuckDB's threads for writing it hung once in fifty times or so."""

from pathlib import Path

import duckdb
import pytest

from twinspark.duck.run import connect

FAILING = (
    "SELECT CASE WHEN range = 299999 THEN error('here') ELSE range END AS a, repeat('x', 50) AS s FROM range(300000)"
)


@pytest.mark.timeout(120)
def test_they_come_back(tmp_path: Path) -> None:
    connection = connect()
    for at in range(60):
        with pytest.raises(duckdb.Error, match="here"):
            connection.cursor().execute(f"COPY ({FAILING}) TO '{tmp_path}/{at}' (FORMAT parquet, COMPRESSION zstd)")
