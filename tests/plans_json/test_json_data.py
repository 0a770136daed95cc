"""Data in every form: rows, objects, Arrow, pandas, files; and cells that do not fit, told by row and column."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from pyspark.errors import PySparkException

from twinspark.plans_json import DataError, execute_plan
from twinspark.plans_json.input_data import frame_of

SCHEMA = [{"name": "id", "type": "bigint"}, {"name": "name", "type": "string"}, {"name": "day", "type": "date"}]
ROWS = [[1, "ann", "2024-02-29"], [2, None, None], [3, "cid", "1970-01-01"]]
ARROW = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "name": ["ann", None, "cid"],
        "day": pa.array([date(2024, 2, 29), None, date(1970, 1, 1)], pa.date32()),
    }
)
ANSWER = [(1, "ann", date(2024, 2, 29)), (3, "cid", date(1970, 1, 1))]
KEEP_NAMED = [{"op": "filter", "payload": {"op": "is_not_null", "arg": "name"}}, {"op": "orderBy", "payload": ["id"]}]


def answer(frame: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        [dict(zip(("id", "name", "day"), row, strict=True)) for row in ROWS],
        [{"ID": row[0], "Name": row[1], "day": row[2]} for row in ROWS],
        [ROWS[0], {"id": 2}, tuple(ROWS[2])],
        ARROW,
        ARROW.select(["day", "id", "name"]),
        ARROW.rename_columns(["x", "y", "z"]),
        ARROW.set_column(0, "id", ARROW["id"].cast(pa.int32())),
        ARROW.set_column(2, "day", ARROW["day"].cast(pa.string())),
        ARROW.to_batches()[0],
        ARROW.to_pandas(),
    ],
    ids=[
        "rows",
        "objects",
        "other case",
        "mixed",
        "arrow",
        "reordered",
        "by position",
        "narrow",
        "texts",
        "batch",
        "pandas",
    ],
)
def test_every_form_of_data_gives_the_same_frame(data: Any, on_twinspark: Any) -> None:
    frame = execute_plan(data, SCHEMA, KEEP_NAMED, on_twinspark)
    assert [field.dataType.simpleString() for field in frame.schema] == ["bigint", "string", "date"]
    assert answer(frame) == ANSWER


def test_arrow_and_pandas_need_no_schema(on_twinspark: Any) -> None:
    assert answer(execute_plan(ARROW, None, KEEP_NAMED, on_twinspark)) == ANSWER
    assert answer(execute_plan(pd.DataFrame({"a": [1.5, 2.5]}), None, [], on_twinspark)) == [(1.5,), (2.5,)]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_files_are_read_by_the_engine(suffix: str, tmp_path: Path, on_twinspark: Any) -> None:
    path = tmp_path / f"data{suffix}"
    if suffix == ".parquet":
        pyarrow.parquet.write_table(ARROW, path)
    elif suffix == ".csv":
        pyarrow.csv.write_csv(ARROW, path)
    else:
        path.write_text("\n".join(json.dumps(row, default=str) for row in ARROW.to_pylist()))
    assert answer(execute_plan(path, SCHEMA, KEEP_NAMED, on_twinspark)) == ANSWER


def test_a_file_of_an_unknown_kind_is_refused(on_twinspark: Any) -> None:
    with pytest.raises(DataError, match=r"should end in \.parquet"):
        execute_plan("data.xls", None, [], on_twinspark)


@pytest.mark.spark
def test_a_csv_cell_that_does_not_fit_is_an_error_not_a_null(tmp_path: Path, on_twinspark: Any) -> None:
    (tmp_path / "bad.csv").write_text("id\n1\nx\n")
    frame = execute_plan(tmp_path / "bad.csv", "id int", [], on_twinspark)
    with pytest.raises(PySparkException, match="x"):
        frame.collect()


BAD_CELLS = [
    ("bigint", ["x"], 0),
    ("bigint", [1, 1.5], 1),
    ("bigint", [True], 0),
    ("bigint", [2**63], 0),
    ("tinyint", [1, None, 300], 2),
    ("double", [1, "1.5"], 1),
    ("boolean", [True, 1], 1),
    ("string", [["a"]], 0),
    ("date", ["2024-02-30"], 0),
    ("date", [None, 20240229], 1),
    ("timestamp", ["2024-02-29 01:02:03", "soon"], 1),
    ("timestamp_ntz", ["2024-02-29T01:02:03Z"], 0),
    ("decimal(4,2)", ["1.234"], 0),
    ("decimal(4,2)", ["12.5", "123.45"], 1),
    ("binary", ["%"], 0),
    ("array<int>", [[1], [], None, [1, "x"]], 3),
    ("map<string,int>", [{"a": 1}, {"a": 1, "b": 2.5}], 1),
    ("struct<a:int,b:array<date>>", [{"a": 1}, {"a": 2, "b": ["x"]}], 1),
]


@pytest.mark.parametrize(("type", "cells", "row"), BAD_CELLS, ids=str)
def test_a_cell_that_does_not_fit_is_told_by_row_and_column(
    type: str, cells: list[Any], row: int, on_twinspark: Any
) -> None:
    with pytest.raises(DataError) as caught:
        frame_of(on_twinspark, [[cell] for cell in cells], [{"name": "c", "type": type}])
    assert (caught.value.row, caught.value.column) == (row, "c")


@pytest.mark.parametrize(
    ("data", "row"),
    [
        (pa.table({"c": pa.array([1, 2, 300], pa.int64())}), 2),
        (pa.table({"c": ["1", "x"]}), 0),
        (pd.DataFrame({"c": [1.0, 2.5]}), 1),
        (pd.DataFrame({"c": [1, "x"]}, dtype=object), 1),
    ],
    ids=["too big", "texts", "fractions", "objects"],
)
def test_a_cell_of_a_table_that_does_not_fit_is_told_too(data: Any, row: int, on_twinspark: Any) -> None:
    with pytest.raises(DataError) as caught:
        frame_of(on_twinspark, data, "c tinyint")
    assert (caught.value.row, caught.value.column) == (row, "c")


def test_rows_that_are_none_are_told(on_twinspark: Any) -> None:
    with pytest.raises(DataError, match="row 1: expected a list of 1 cells"):
        frame_of(on_twinspark, [[1], [1, 2]], "a int")
    with pytest.raises(DataError, match="row 1, column 'a': null in a column that is declared not null"):
        frame_of(on_twinspark, [[1], [None]], "a int not null")
    with pytest.raises(DataError, match="rows need a schema"):
        frame_of(on_twinspark, [[1]], None)
    with pytest.raises(DataError, match="the data has no such column"):
        frame_of(on_twinspark, ARROW, "id bigint, nobody int")
    with pytest.raises(DataError, match=r"does not fit the type int \(other_data of step 0\)"):
        other = {"other_data": [["x"]], "other_schema": [{"name": "a", "type": "int"}]}
        execute_plan([[1]], "a int", [{"op": "union", "payload": other}], on_twinspark)


def test_times_without_a_zone_are_in_the_sessions_zone(on_twinspark: Any) -> None:
    """Tokyo has no summer time; New York skipped 02:30 on 2024-03-10, which Java counts from before the gap."""
    before = on_twinspark.conf.get("spark.sql.session.timeZone")
    try:
        for zone, text, hour in (
            ("Asia/Tokyo", "2024-02-29 12:00:00", datetime(2024, 2, 29, 3, tzinfo=UTC)),
            ("America/New_York", "2024-03-10 02:30:00", datetime(2024, 3, 10, 7, 30, tzinfo=UTC)),
            ("America/New_York", "2024-11-03 01:30:00", datetime(2024, 11, 3, 5, 30, tzinfo=UTC)),
        ):
            on_twinspark.conf.set("spark.sql.session.timeZone", zone)
            seconds = [{"op": "select", "payload": [{"fn": "unix_seconds", "args": ["t"]}]}]
            assert answer(execute_plan([[text]], "t timestamp", seconds, on_twinspark)) == [(int(hour.timestamp()),)]
    finally:
        on_twinspark.conf.set("spark.sql.session.timeZone", before)


def test_numbers_in_a_text_column_become_text_as_in_pyspark(on_twinspark: Any) -> None:
    frame = frame_of(on_twinspark, [[1], [True], [1.5], [Decimal("2.50")]], "a string")
    assert answer(frame) == [("1",), ("true",), ("1.5",), ("2.50",)]


def test_columns_resolve_by_the_sessions_case_sensitivity(on_twinspark: Any) -> None:
    plan = [{"op": "select", "payload": [{"col": "ID"}]}]
    assert answer(execute_plan([[1]], "id int", plan, on_twinspark)) == [(1,)]
    on_twinspark.conf.set("spark.sql.caseSensitive", "true")
    try:
        with pytest.raises(PySparkException) as caught:
            execute_plan([[1]], "id int", plan, on_twinspark)
    finally:
        on_twinspark.conf.unset("spark.sql.caseSensitive")
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_a_missing_column_is_sparks_own_error_with_the_step(on_twinspark: Any) -> None:
    plan = [
        {"op": "select", "payload": ["id", "name"]},
        {"op": "filter", "payload": {"op": "gt", "left": "nobody", "right": 1}},
    ]
    with pytest.raises(PySparkException) as caught:
        execute_plan(ROWS, SCHEMA, plan, on_twinspark)
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert "in step 1 (Filter)" in caught.value.__notes__


def test_long_chains_of_conditions_and_deep_nests_run(on_twinspark: Any) -> None:
    chain: Any = {"op": "gt", "left": "id", "right": 1}
    for bound in range(400):
        chain = {"op": "and", "left": chain, "right": {"op": "lt", "left": "id", "right": bound + 4}}
    plan = [{"op": "filter", "payload": chain}, {"op": "select", "payload": ["id"]}]
    assert answer(execute_plan(ROWS, SCHEMA, plan, on_twinspark)) == [(2,), (3,)]
    deep: Any = {"col": "id"}
    for _ in range(80):
        deep = {"op": "add", "left": deep, "right": 1}
    made = answer(execute_plan(ROWS, SCHEMA, [{"op": "select", "payload": [deep]}], on_twinspark))
    assert len(made) == len(ROWS)
