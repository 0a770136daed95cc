"""Random lines of CSV are taken apart as Spark took them (recorded by record_csv_lines.py), or left to it."""

import json
from pathlib import Path

import duckdb

from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.errors.marker import unmark

RECORDED = json.loads((Path(__file__).parent / "recorded" / "csv_lines.json").read_text())


def test_lines_are_taken_apart_as_by_spark() -> None:
    connection = connect()
    left = 0
    for line, fields in RECORDED.items():
        try:
            (ours,) = connection.execute("SELECT spark_csv_fields(?, ',', '')", [line]).fetchall()[0]
        except duckdb.InvalidInputException as error:
            assert isinstance(unmark(str(error)), NotNative)
            left += 1
            continue
        assert (ours + [None] * len(fields))[: len(fields)] == fields, line
    assert left < len(RECORDED) / 10
