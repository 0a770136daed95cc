"""The demo's judge: equal runs are equal, and a single changed cell, type or printed line is found."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))
from outcome import first_difference

ROWS = pa.table({"k": [1, 2], "at": pa.array([0, None], pa.timestamp("us", "UTC"))})


def written(directory: Path, table: pa.Table, csv: str) -> Path:
    (directory / "report").mkdir(parents=True)
    pyarrow.parquet.write_table(table, directory / "report" / "part-0.parquet")
    (directory / "daily").mkdir()
    (directory / "daily" / "part-0.csv").write_text(csv)
    return directory


@pytest.fixture
def spark(tmp_path: Path) -> Path:
    return written(tmp_path / "spark", ROWS, "a,b\n1,1.50\n")


def test_other_files_and_order_are_the_same_rows(tmp_path: Path, spark: Path) -> None:
    native = written(tmp_path / "native", ROWS.slice(1), "a,b\n1,1.50\n")
    pyarrow.parquet.write_table(
        ROWS.slice(0, 1), native / "report" / "part-1.parquet", use_deprecated_int96_timestamps=True
    )
    assert first_difference("x\n", "x\n", native, spark) is None


def test_a_changed_cell_is_found(tmp_path: Path, spark: Path) -> None:
    native = written(tmp_path / "native", ROWS.set_column(0, "k", pa.array([1, 3])), "a,b\n1,1.50\n")
    assert "sorted row 2" in str(first_difference("", "", native, spark))


def test_a_changed_type_is_found(tmp_path: Path, spark: Path) -> None:
    native = written(tmp_path / "native", ROWS.set_column(0, "k", pa.array([1, 2], pa.int32())), "a,b\n1,1.50\n")
    assert "schema" in str(first_difference("", "", native, spark))


def test_csv_is_compared_as_text(tmp_path: Path, spark: Path) -> None:
    native = written(tmp_path / "native", ROWS, "a,b\n1,1.5\n")
    assert "1.5" in str(first_difference("", "", native, spark))


def test_a_printed_line_is_found(tmp_path: Path, spark: Path) -> None:
    native = written(tmp_path / "native", ROWS, "a,b\n1,1.50\n")
    assert "line 2" in str(first_difference("same\nours", "same\ntheirs", native, spark))
