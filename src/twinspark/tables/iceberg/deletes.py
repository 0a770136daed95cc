"""Rows that other writers deleted without writing files anew: named by place, in files or bitmaps, or by value."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent
from pyiceberg.schema import Schema
from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.table.snapshots import Snapshot

from twinspark.errors import NotNative
from twinspark.tables.catalog import EqualityDelete
from twinspark.tables.iceberg.index import manifest_index, manifests_of
from twinspark.tables.iceberg.local import local
from twinspark.tables.kept import Kept

PLACES = pa.schema([("file_path", pa.string()), ("pos", pa.int64())])
_unpacked: Kept[str] = Kept(1024)
_directory = tempfile.TemporaryDirectory(prefix="twinspark-deletes-")


@dataclass(frozen=True)
class ByValue:
    """A file of values: rows that have them, in files of before, are gone."""

    file: DataFile
    sequence: int
    schema_id: int

    def concerns(self, file: DataFile, sequence: int, is_partitioned: bool) -> bool:
        """Files of an earlier commit, in the same partition; those of a spec without partitions concern all."""
        same = self.file.spec_id == file.spec_id and self.file.partition == file.partition
        return sequence < self.sequence and (same or not is_partitioned)


@dataclass(frozen=True)
class Deletes:
    """All that a snapshot says of deleted rows. A path is never used twice: places may be asked of every data file."""

    places: tuple[str, ...] = ()
    by_value: tuple[ByValue, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.places or self.by_value)


def deletes_of(snapshot: Snapshot | None, io: FileIO, schema_of: Callable[[DataFile, int], int]) -> Deletes:
    places: list[str] = []
    by_value: list[ByValue] = []
    for file, snapshot_id, sequence in delete_files(snapshot, io):
        if file.file_format == FileFormat.PUFFIN:
            places.append(unpacked(file, io))
        elif file.file_format != FileFormat.PARQUET:
            raise NotNative(f"deleted rows in files of the format {file.file_format}")
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


def unpacked(file: DataFile, io: FileIO) -> str:
    """Deletion vectors as a file of places, which both engines read. What a file of them says of a data file holds as
    long as that is there, even if a later one says more: all of them may be taken."""
    return _unpacked.get(file.file_path, lambda: unpack(file.file_path, io))


def unpack(path: str, io: FileIO) -> str:
    with io.new_input(path).open() as stream:
        vectors = deletion_vectors_from_puffin_file(PuffinFile(stream.read()))
    tables = [places_in(each.referenced_data_file, each.to_vector()) for each in vectors]
    descriptor, made = tempfile.mkstemp(".parquet", dir=_directory.name)
    os.close(descriptor)
    pq.write_table(pa.concat_tables([PLACES.empty_table(), *tables]), made)
    return made


def places_in(path: str, positions: Any) -> pa.Table:
    column = positions.cast(pa.int64())
    return pa.table({"file_path": pa.array([path] * len(column), pa.string()), "pos": column}, schema=PLACES)


def equality_deletes(chosen: Sequence[ByValue], written: Schema, schemas: dict[int, Schema]) -> list[EqualityDelete]:
    """As columns of the data file, written with that schema, and those of the delete files, which may be called
    otherwise there; files that speak of the same columns are read together."""
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
    raise NotNative("rows deleted by the values of a column that came later, or lies in another")
