"""Files that are written: as many as a query asks partitions for, as Spark writes them."""

from pathlib import Path
from typing import Any

import pytest

COUNTS = {  # rows in each file, in order, from Spark 4.2.1
    "ten of a range": ((1, 100, 1, 10), [9, 10, 10, 10, 10, 10, 10, 10, 10, 10]),
    "three of a range": ((0, 10, 1, 3), [3, 3, 4]),
    "more than there are rows": ((0, 2, 1, 5), [0, 1, 1]),
    "none of no rows": ((0, 0, 1, 3), [0]),
}


@pytest.mark.parametrize("case", COUNTS)
def test_a_range_is_as_many_files_as_it_has_partitions(case: str, duck: Any, tmp_path: Path) -> None:
    bounds, counts = COUNTS[case]
    duck.range(*bounds).write.parquet(str(tmp_path / "out"))
    files = sorted((tmp_path / "out").glob("part-*"))
    assert [duck.read.parquet(str(file)).count() for file in files] == counts
    assert len(duck.read.parquet(str(tmp_path / "out")).inputFiles()) == len(counts)


def test_files_have_the_numbers_of_their_partitions(duck: Any, tmp_path: Path) -> None:
    duck.range(0, 2, 1, 5).write.option("header", True).csv(str(tmp_path / "out"))
    files = sorted((tmp_path / "out").glob("part-*"))
    assert [file.name[:10] for file in files] == ["part-00000", "part-00002", "part-00004"]
    assert [file.read_text() for file in files] == ["id\n", "id\n0\n", "id\n1\n"]


def test_rows_are_dealt_out_to_as_many_files_as_asked_for(duck: Any, tmp_path: Path) -> None:
    duck.range(50).repartition(4).write.parquet(str(tmp_path / "out"))
    assert len(list((tmp_path / "out").glob("part-*"))) == 4
    assert sorted(row.id for row in duck.read.parquet(str(tmp_path / "out")).collect()) == list(range(50))
