"""Removes the files of failed writes, and lists the files that a table's snapshots reference."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from pyiceberg.manifest import ManifestFile
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot

from twinspark.tables.iceberg.manifest_index import manifest_index, manifests_of
from twinspark.tables.iceberg.sqlite_catalog import local
from twinspark.tables.store import StagedRow

WRITE_ID = "twinspark.write-id"


@dataclass(frozen=True)
class WriteCleanup:
    """The cleanup of one write: the target table's current state, and the directory that contains only the catalog's
    files."""

    table: Callable[[], Table | None]
    home: str

    def is_committed(self, write_id: str) -> bool:
        table = self.table()
        snapshots = [] if table is None else table.metadata.snapshots
        return any(each.summary is not None and each.summary.get(WRITE_ID) == write_id for each in snapshots)

    def remove(self, row: StagedRow) -> None:
        clean_up(row, self.table(), self.home)


def clean_up(row: StagedRow, table: Table | None, home: str) -> None:
    if table is None and home and local(row.location).startswith(home):
        shutil.rmtree(local(row.location), ignore_errors=True)  # a creation that was never committed
        return
    # Files that the table references stay, whether or not the snapshot that added them still exists.
    known = set() if table is None else known_files(table)
    delete_files(path for path in all_files(row.directory) if path not in known)
    remove_if_empty(row.directory)
    delete_files(stray_metadata(row, known))


def known_files(table: Table) -> set[str]:
    metadata = {local(table.metadata_location)} | {local(entry.metadata_file) for entry in table.metadata.metadata_log}
    return metadata | set(reachable(table, table.metadata.snapshots))


def remove_if_empty(directory: str) -> None:
    """Removes the directory of a write, and its partition directories, if they contain no file."""
    for folder, _, _ in os.walk(directory, topdown=False):
        if not os.listdir(folder):
            os.rmdir(folder)


def stray_metadata(row: StagedRow, known: set[str]) -> list[str]:
    """Manifests named after the write and metadata files that contain its id, if the table does not reference them."""
    paths = [path for path in all_files(os.path.join(local(row.location), "metadata")) if path not in known]
    return [path for path in paths if row.id in path or (path.endswith(".json") and mentions(path, row.id))]


def mentions(path: str, text: str) -> bool:
    with open(path, "rb") as stream:
        return text.encode() in stream.read()


def reachable(table: Table, snapshots: Iterable[Snapshot]) -> Iterator[str]:
    """Manifest lists, manifests and data files of these snapshots; a shared manifest is read once."""
    manifests: dict[str, ManifestFile] = {}
    for snapshot in snapshots:
        yield local(snapshot.manifest_list)
        manifests |= {each.manifest_path: each for each in manifests_of(snapshot, table.io)}
    for path, manifest in manifests.items():
        yield local(path)
        yield from (local(file.file_path) for file in manifest_index(manifest, table.io).files)


def reachable_metadata(table: Table, snapshots: Iterable[Snapshot]) -> Iterator[str]:
    """The same without data files, so that no manifest is read."""
    for snapshot in snapshots:
        yield local(snapshot.manifest_list)
        yield from (local(manifest.manifest_path) for manifest in manifests_of(snapshot, table.io))


def all_files(directory: str) -> Iterator[str]:
    for folder, _, names in os.walk(directory):
        yield from (os.path.join(folder, name) for name in names)


def delete_files(paths: Iterable[str]) -> None:
    for path in paths:
        with suppress(FileNotFoundError):  # another process may clean up at the same time
            os.unlink(path)
