"""Of little data each of Spark's tasks writes a file: what files hold was recorded from Spark 4.2.1 with two tasks."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

Files = dict[tuple[str, int], list[Any]]
ROWS = [(0, "a"), (1, "b"), (2, "a"), (3, None), (4, "a")]
WRITES: dict[str, tuple[Any, list[str], Files]] = {
    "local rows": (lambda rows, spark: rows, [], {(".", 0): [0, 1], (".", 1): [2, 3, 4]}),
    "local rows by partition": (
        lambda rows, spark: rows,
        ["p"],
        {
            ("p=a", 0): [0],
            ("p=b", 0): [1],
            ("p=a", 1): [2, 4],
            ("p=__HIVE_DEFAULT_PARTITION__", 1): [3],
        },
    ),
    "filtered before there are tasks": (
        lambda rows, spark: rows.filter("i != 1"),
        [],
        {(".", 0): [0, 2], (".", 1): [3, 4]},
    ),
    "a range": (
        lambda rows, spark: spark.range(5).selectExpr("int(id) i", "'x' p"),
        [],
        {(".", 0): [0, 1], (".", 1): [2, 3, 4]},
    ),
    "a range of one row": (
        lambda rows, spark: spark.range(1).selectExpr("int(id) i"),
        [],
        {(".", 0): [], (".", 1): [0]},
    ),
    "a filtered range": (
        lambda rows, spark: spark.range(0, 9, 1, 3).selectExpr("int(id) i").filter("i > 3"),
        [],
        {(".", 0): [], (".", 1): [4, 5], (".", 2): [6, 7, 8]},
    ),
    "groups": (lambda rows, spark: rows.groupBy("i").count(), [], {(".", 0): [0, 1, 2, 3, 4]}),
    "coalesced": (lambda rows, spark: rows.coalesce(1), [], {(".", 0): [0, 1, 2, 3, 4]}),
    "nothing": (lambda rows, spark: rows.filter("i > 9"), [], {(".", 0): []}),
}


@pytest.fixture
def two_tasks(alone: Any) -> Any:
    alone.conf.set("spark.sql.leafNodeDefaultParallelism", "2")
    return alone


@pytest.mark.parametrize("name", WRITES)
def test_files_hold_what_the_tasks_had(two_tasks: Any, tmp_path: Path, name: str) -> None:
    chosen, partitions, expected = WRITES[name]
    rows = two_tasks.createDataFrame(ROWS, "i int, p string")
    chosen(rows, two_tasks).write.partitionBy(*partitions).json(str(tmp_path / "out"))
    found = {key: sorted(each) if name == "groups" else each for key, each in files_in(tmp_path / "out").items()}
    assert found == expected


def test_the_largest_file_is_read_first(two_tasks: Any) -> None:
    two_tasks.sql("CREATE TABLE written (i INT, j INT) USING json")
    two_tasks.sql("INSERT INTO written VALUES (1, 1), (1, 2), (2, 4)")
    assert [tuple(row) for row in two_tasks.table("written").collect()] == [(1, 2), (2, 4), (1, 1)]
    two_tasks.sql("DROP TABLE written")


def test_a_table_made_of_rows_has_a_file_of_each_task(two_tasks: Any) -> None:
    two_tasks.sql(
        "CREATE TABLE made USING parquet PARTITIONED BY (p) AS SELECT * FROM VALUES (1, 'a'), (2, 'a') t(i, p)"
    )
    names = [Path(name).name for name in two_tasks.table("made").inputFiles()]
    assert sorted(int(name[5:10]) for name in names) == [0, 1]
    two_tasks.sql("DROP TABLE made")


def files_in(directory: Path) -> Files:
    """By directory and number, the rows' first column."""
    return {
        (str(path.parent.relative_to(directory)), number(path)): [json.loads(line)["i"] for line in lines(path)]
        for path in sorted(directory.rglob("part-*"))
    }


def number(path: Path) -> int:
    found = re.match(r"part-(\d+)", path.name)
    assert found is not None
    return int(found[1])


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()
