"""Reads delete files of other writers: position deletes, deletion vectors and equality deletes."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent
from pyiceberg.schema import Schema
from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.table.snapshots import Snapshot

from twinspark import scratch
from twinspark.errors import NotNative, reasons
from twinspark.tables.catalog import EqualityDelete
from twinspark.tables.files.file_cache import LruCache
from twinspark.tables.iceberg.manifest_index import manifest_index, manifests_of
from twinspark.tables.iceberg.sqlite_catalog import local

PLACES = pa.schema([("file_path", pa.string()), ("pos", pa.int64())])
_unpacked: LruCache[str] = LruCache(1024)


@cache
def deletes_directory() -> Path:
    return scratch.directory("deletes")


@dataclass(frozen=True)
class ByValue:
    """An equality delete file: rows with its values, in older data files, are deleted."""

    file: DataFile
    sequence: int
    schema_id: int

    def concerns(self, file: DataFile, sequence: int, is_partitioned: bool) -> bool:
        """Applies to data files of an earlier commit in the same partition, or in all if the spec is unpartitioned."""
        same = self.file.spec_id == file.spec_id and self.file.partition == file.partition
        return sequence < self.sequence and (same or not is_partitioned)


@dataclass(frozen=True)
class Deletes:
    """All delete files of a snapshot. Data file paths are unique, so position deletes may be joined with every file."""

    places: tuple[str, ...] = ()
    by_value: tuple[ByValue, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.places or self.by_value)


def deletes_of(snapshot: Snapshot | None, io: FileIO, schema_of: Callable[[DataFile, int], int]) -> Deletes:
    places: list[str] = []
    by_value: list[ByValue] = []
    for file, snapshot_id, sequence in delete_files(snapshot, io):
        if file.file_format == FileFormat.PUFFIN:
            places.append(positions_file(file, io))
        elif file.file_format != FileFormat.PARQUET:
            raise NotNative(reasons.ICEBERG_TABLE, f"delete files in the format {file.file_format}")
        elif file.content == DataFileContent.POSITION_DELETES:
            places.append(local(file.file_path))
        else:
            by_value.append(ByValue(file, sequence, schema_of(file, snapshot_id)))
    return Deletes(tuple(dict.fromkeys(places)), tuple(by_value))


def delete_files(snapshot: Snapshot | None, io: FileIO) -> Iterator[tuple[DataFile, int, int]]:
    for manifest in () if snapshot is None else manifests_of(snapshot, io):
        if manifest.content == ManifestContent.DELETES:
            index = manifest_index(manifest, io)
            yield from zip(index.files, index.snapshot_ids, index.sequences, strict=True)


def positions_file(file: DataFile, io: FileIO) -> str:
    """A deletion vector converted to a Parquet file of positions, which both engines read. Older vectors of a data file
    stay valid when a later one adds positions, so that all of them may be applied."""
    return _unpacked.get(file.file_path, lambda: unpack(file.file_path, io))


def unpack(path: str, io: FileIO) -> str:
    with io.new_input(path).open() as stream:
        vectors = deletion_vectors_from_puffin_file(PuffinFile(stream.read()))
    tables = [position_rows(each.referenced_data_file, each.to_vector()) for each in vectors]
    descriptor, made = tempfile.mkstemp(".parquet", dir=deletes_directory())
    os.close(descriptor)
    pq.write_table(pa.concat_tables([PLACES.empty_table(), *tables]), made)
    return made


def position_rows(path: str, positions: Any) -> pa.Table:
    column = positions.cast(pa.int64())
    return pa.table({"file_path": pa.array([path] * len(column), pa.string()), "pos": column}, schema=PLACES)


def equality_deletes(chosen: Sequence[ByValue], written: Schema, schemas: dict[int, Schema]) -> list[EqualityDelete]:
    """Equality deletes with the column names of the data file and of the delete files, which may differ; delete files
    with the same columns are read together."""
    found: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for each in chosen:
        names = schemas[each.schema_id]
        columns = tuple((column_name(written, id), column_name(names, id)) for id in each.file.equality_ids or ())
        found.setdefault(columns, []).append(local(each.file.file_path))
    return [EqualityDelete(tuple(files), columns) for columns, files in found.items()]


def column_name(schema: Schema, id: int) -> str:
    for field in schema.fields:
        if field.field_id == id:
            return str(field.name)
    raise NotNative(reasons.ICEBERG_TABLE, "equality deletes by a column that is nested or was added later")
