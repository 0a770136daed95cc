"""Caches the decoded data files of each manifest, and prunes them by column bounds."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import reduce
from typing import Any

import numpy as np
from pyiceberg import types
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, ManifestContent, ManifestFile
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import BucketTransform

from twinspark.tables.files.file_cache import LruCache
from twinspark.tables.predicates import And, Comparison, In, IsNotNull, IsNull, Or, Predicate, StartsWith

Mask = Any  # a numpy array of booleans, one per file: whether it may contain a matching row
EPOCH_DAY = date(1970, 1, 1).toordinal()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class ManifestIndex:
    """The live data files of one manifest; manifests are immutable, so this is cached."""

    files: list[DataFile]
    snapshot_ids: list[int]
    sequences: list[int]
    spec_id: int
    columns: dict[int, "ColumnBounds"] = field(default_factory=dict)

    def bounds(self, column: types.NestedField) -> "ColumnBounds":
        found = self.columns.get(column.field_id)
        if found is None:
            found = self.columns[column.field_id] = column_bounds(self.files, column)
        return found


@dataclass(frozen=True)
class ColumnBounds:
    """Lower and upper bounds per file, where known; a file may also contain nulls or NaN."""

    lower: Any
    upper: Any
    known: Mask
    may_have_null: Mask
    may_have_value: Mask
    may_have_nan: Mask


_indexes: LruCache[ManifestIndex] = LruCache(4096)
_lists: LruCache[tuple[ManifestFile, ...]] = LruCache(1024)


def manifest_index(manifest: ManifestFile, io: FileIO) -> ManifestIndex:
    return _indexes.get(manifest.manifest_path, lambda: read_manifest(manifest, io))


def manifests_of(snapshot: Snapshot, io: FileIO) -> tuple[ManifestFile, ...]:
    return _lists.get(snapshot.manifest_list, lambda: tuple(snapshot.manifests(io)))


def read_manifest(manifest: ManifestFile, io: FileIO) -> ManifestIndex:
    entries = manifest.fetch_manifest_entry(io, discard_deleted=True)
    files = [entry.data_file for entry in entries]
    sequences = [entry.sequence_number or 0 for entry in entries]
    return ManifestIndex(files, [entry.snapshot_id for entry in entries], sequences, manifest.partition_spec_id)


def indexes_of(snapshot: Snapshot | None, io: FileIO) -> list[ManifestIndex]:
    """The indexes of a snapshot's data manifests."""
    found = () if snapshot is None else manifests_of(snapshot, io)
    return [manifest_index(manifest, io) for manifest in found if manifest.content == ManifestContent.DATA]


def column_bounds(files: Sequence[DataFile], column: types.NestedField) -> ColumnBounds:
    id, read = column.field_id, reader(column.field_type)
    lower = [read(file.lower_bounds.get(id)) if file.lower_bounds else None for file in files]
    upper = [read(file.upper_bounds.get(id)) if file.upper_bounds else None for file in files]
    known = np.array([low is not None and high is not None for low, high in zip(lower, upper, strict=True)], bool)
    nulls = [(file.null_value_counts or {}).get(id) for file in files]
    values = [(file.value_counts or {}).get(id) for file in files]
    nans = [(file.nan_value_counts or {}).get(id) for file in files]
    floating = isinstance(column.field_type, types.FloatType | types.DoubleType)
    return ColumnBounds(
        typed_array(lower, known, column.field_type),
        typed_array(upper, known, column.field_type),
        known,
        np.array([null is None or null > 0 for null in nulls], bool),
        np.array([n is None or v is None or v > n for n, v in zip(nulls, values, strict=True)], bool),
        np.array([floating and (nan is None or nan > 0) for nan in nans], bool),
    )


def typed_array(values: list[Any], known: Mask, type: types.IcebergType) -> Any:
    """A numpy array of the bounds, so that ten thousand files are compared in one step; unknown bounds are zero."""
    kind: Any = np.int64
    if isinstance(type, types.FloatType | types.DoubleType):
        kind = np.float64
    if isinstance(type, types.StringType | types.DecimalType):
        kind = object
    zero: Any = "" if isinstance(type, types.StringType) else 0
    return np.array([value if is_known else zero for value, is_known in zip(values, known, strict=True)], kind)


def reader(type: types.IcebergType) -> Callable[[bytes | None], Any]:
    """Decodes a bound by its length: bounds of an int column have four bytes even after it became a long."""
    decode = decoder(type)
    return lambda raw: None if raw is None else decode(raw)


def decoder(type: types.IcebergType) -> Callable[[bytes], Any]:
    whole = (types.IntegerType, types.LongType, types.DateType, types.TimestampType, types.TimestamptzType)
    if isinstance(type, whole):
        return lambda raw: int.from_bytes(raw, "little", signed=True)
    if isinstance(type, types.FloatType | types.DoubleType):
        return lambda raw: struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
    if isinstance(type, types.StringType):
        return lambda raw: raw.decode()
    if isinstance(type, types.BooleanType):
        return lambda raw: raw != b"\x00"
    if isinstance(type, types.DecimalType):
        scale = type.scale
        return lambda raw: Decimal(int.from_bytes(raw, "big", signed=True)).scaleb(-scale)
    return lambda raw: None


def matching(predicate: Predicate, index: ManifestIndex, metadata: TableMetadata, schema: Schema) -> Mask:
    """Which files of the manifest may contain a row for which the predicate is true."""
    match predicate:
        case And(parts):
            return reduce(np.logical_and, [matching(part, index, metadata, schema) for part in parts])
        case Or(parts):
            return reduce(np.logical_or, [matching(part, index, metadata, schema) for part in parts])
        case In(column, values):
            equal = [Comparison("=", column, value) for value in values]
            return reduce(np.logical_or, [matching(part, index, metadata, schema) for part in equal], none_of(index))
    column = schema.find_field(".".join(predicate.column), case_sensitive=False)
    bounds = index.bounds(column)
    match predicate:
        case IsNull():
            return bounds.may_have_null
        case IsNotNull():
            return bounds.may_have_value
        case StartsWith(_, prefix):
            return starts_with(bounds, prefix)
        case Comparison(operator, _, value):
            comparable = stored_value(value, column.field_type)
            compared = compare(bounds, operator, comparable)
            return compared & in_bucket(index, metadata, column, comparable) if operator == "=" else compared


def none_of(index: ManifestIndex) -> Mask:
    return np.zeros(len(index.files), bool)


def stored_value(value: Any, type: types.IcebergType) -> Any:
    """The value as bounds store it: dates and timestamps as numbers."""
    if isinstance(value, datetime):
        since = (value if value.tzinfo else value.replace(tzinfo=UTC)) - EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if isinstance(value, date):
        return value.toordinal() - EPOCH_DAY
    if isinstance(type, types.DecimalType) and not isinstance(value, Decimal):
        return Decimal(str(value))
    return value


def compare(bounds: ColumnBounds, operator: str, value: Any) -> Mask:
    if value != value:  # in Spark NaN is the greatest value and equal to itself
        return bounds.may_have_value
    low, high = bounds.lower, bounds.upper
    tests: dict[str, Callable[[], Mask]] = {
        "=": lambda: (low <= value) & (high >= value),
        "<>": lambda: np.ones(len(low), bool),
        "<": lambda: low < value,
        "<=": lambda: low <= value,
        ">": lambda: high > value,
        ">=": lambda: high >= value,
    }
    hit = np.asarray(tests[operator](), bool)
    if operator in (">", ">=", "<>"):
        hit = hit | bounds.may_have_nan
    return (hit | ~bounds.known) & bounds.may_have_value


def starts_with(bounds: ColumnBounds, prefix: str) -> Mask:
    size = len(prefix)
    pairs = zip(bounds.lower, bounds.upper, bounds.known, strict=True)
    hit = [not known or (low[:size] <= prefix <= high[:size] or high.startswith(prefix)) for low, high, known in pairs]
    return np.array(hit, bool) & bounds.may_have_value


def in_bucket(index: ManifestIndex, metadata: TableMetadata, column: types.NestedField, value: Any) -> Mask:
    """An equality also prunes by bucket, if the manifest's spec has one for the column."""
    spec = metadata.specs()[index.spec_id]
    for at, part in enumerate(spec.fields):
        if part.source_id == column.field_id and isinstance(part.transform, BucketTransform):
            wanted = part.transform.transform(column.field_type)(value)
            return np.array([file.partition[at] == wanted for file in index.files], bool)
    return np.ones(len(index.files), bool)
