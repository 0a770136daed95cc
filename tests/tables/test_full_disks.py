"""A disk without room: the write says so in Spark's words, the table is as it was, and no file of it stays."""

import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from full_disk import BIG
from killed_writer import NEW, ROWS, SCHEMA, T
from table_rows import Rows
from test_crashes import OLD, catalog_with_rows, orphans

from twinspark.errors import SparkError
from twinspark.tables.catalog import TableSpec
from twinspark.tables.files.write import FileWrite, write_files
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.sqlite_catalog import LocalOutput

FAILED = "TASK_WRITE_FAILED"
OPERATIONS = ("create", "replace", "append", "overwrite", "merge")
MEBIBYTE = 1 << 20


def check_as_before(place: Path, duck: Any) -> None:
    catalog = IcebergCatalog.local("spark_catalog", str(place))
    assert Rows(catalog, duck)(T) == OLD and not catalog.table_exists(NEW)
    # The journal's row may have had no room to go; what it speaks of has gone.
    assert not any(Path(row.directory).exists() for row in catalog.store.staged_writes())
    assert orphans(catalog, place) == []
    with catalog.stage_append(T) as write:
        write.write(duck, ROWS)
        write.commit()
    assert len(Rows(catalog, duck)(T)) == len(OLD) + 5


def tried(place: Path, limit: int) -> list[str]:
    script = [sys.executable, str(Path(__file__).parent / "full_disk.py"), str(place), str(limit)]
    return subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_file_that_may_not_grow(tmp_path: Path, duck: Any) -> None:
    catalog_with_rows(tmp_path, duck)
    assert tried(tmp_path, MEBIBYTE) == [f"{operation} {FAILED}" for operation in OPERATIONS]
    check_as_before(tmp_path, duck)


def test_a_disk_that_is_full(small_disk: Path, duck: Any) -> None:
    catalog_with_rows(small_disk, duck)
    assert tried(small_disk, 0) == [f"{operation} {FAILED}" for operation in OPERATIONS]
    check_as_before(small_disk, duck)


@pytest.mark.parametrize("free", [0, 8192, 24576])
@pytest.mark.parametrize("operation", ["create", "overwrite"])
def test_full_between_the_files_and_the_commit(operation: str, free: int, small_disk: Path, duck: Any) -> None:
    """Whichever of manifest, list, metadata and catalog there is no room for."""
    catalog_with_rows(small_disk, duck)
    catalog = IcebergCatalog.local("spark_catalog", str(small_disk))
    write = catalog.stage_create(NEW, TableSpec(SCHEMA)) if operation == "create" else catalog.stage_overwrite(T)
    write.write(duck, ROWS)
    ballast = filled(small_disk, free)
    try:
        write.commit()
        committed = True
    except SparkError as error:
        assert error.condition == FAILED
        committed = False
    ballast.unlink()
    if committed:
        assert len(Rows(catalog, duck)(NEW if operation == "create" else T)) >= 5 and free > 0
        assert orphans(catalog, small_disk) == []
    else:
        check_as_before(small_disk, duck)


def test_a_manifest_that_a_second_thread_writes_late(
    tmp_path: Path, duck: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyIceberg writes two manifests at once: when the first fails, the second is not created after the clean-up."""
    catalog_with_rows(tmp_path, duck)
    catalog = IcebergCatalog.local("spark_catalog", str(tmp_path))
    write = catalog.stage_overwrite(T)
    write.write(duck, ROWS)
    late = delay_second_manifest(monkeypatch)
    with pytest.raises(SparkError) as failure:
        write.commit()
    assert failure.value.condition == FAILED
    assert late.wait(30)
    monkeypatch.undo()
    check_as_before(tmp_path, duck)


def delay_second_manifest(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Makes the first manifest fail for want of room and the second one come late; the event says when it is there."""
    create, late = LocalOutput.create, threading.Event()

    def create_or_fail(output: Any, overwrite: bool = False) -> Any:
        if output.location.endswith("-m0.avro"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if output.location.endswith("-m1.avro"):
            time.sleep(1)
            stream = create(output, overwrite)
            late.set()
            return stream
        return create(output, overwrite)

    monkeypatch.setattr(LocalOutput, "create", create_or_fail)
    return late


def filled(disk: Path, free: int) -> Path:
    """A file that takes all room but so many bytes."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096):
            while written(file, size):
                pass
        file.truncate(max(0, file.tell() - free))
    return ballast


def written(file: Any, size: int) -> bool:
    try:
        return file.write(b"x" * size) == size
    except OSError:
        return False


def test_files_of_a_full_disk(small_disk: Path, duck: Any) -> None:
    with pytest.raises(SparkError) as refused:
        write_files(FileWrite(BIG, "parquet", str(small_disk / "p"), SCHEMA), duck)
    assert refused.value.condition == FAILED and refused.value.parameters == {"path": f"file:{small_disk}/p"}
    assert list(small_disk.iterdir()) == []
