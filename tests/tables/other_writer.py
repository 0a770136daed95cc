"""A writer that deletes rows by naming them in files of their own, as Iceberg's format allows and ours does not do."""

import json
import struct
import zlib
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
)
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.snapshot import _FastAppendFiles
from pyiceberg.typedef import Record
from pyroaring import BitMap

# The ids that the format reserves for the two columns of a position delete file.
SCHEMA = pa.schema(
    [
        pa.field("file_path", pa.string(), False, {"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), False, {"PARQUET:field_id": "2147483545"}),
    ]
)


class DeleteManifestWriter(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


class DeleteRows(_FastAppendFiles):
    deletes: DataFile

    def _manifests(self) -> list[ManifestFile]:
        table = self._transaction.table_metadata
        output = self._io.new_output(f"{table.location}/metadata/{self.commit_uuid}-deletes.avro")
        with DeleteManifestWriter(table.spec(), table.schema(), output, self._snapshot_id, self._compression) as writer:
            writer.add_entry(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED, snapshot_id=self._snapshot_id, data_file=self.deletes
                )
            )
        return [writer.to_manifest_file(), *self._existing_manifests()]


def delete_rows(table: Table, places: list[tuple[str, int]]) -> None:
    """One snapshot more, in which these rows (path and number) are gone."""
    path = new_file(table, "parquet")
    pq.write_table(pa.Table.from_pylist([{"file_path": p, "pos": n} for p, n in places], SCHEMA), plain(path))
    commit_deletes(table, path, len(places))


def delete_values(table: Table, values: pa.Table, *names: str, partition: Record | None = None) -> None:
    """One snapshot more, in which rows with these values in these columns are gone, but for those it brings itself."""
    path = new_file(table, "parquet")
    pq.write_table(values, plain(path))
    ids = [table.schema().find_field(name).field_id for name in names]
    commit_deletes(
        table,
        path,
        values.num_rows,
        content=DataFileContent.EQUALITY_DELETES,
        equality_ids=ids,
        partition=partition or Record(),
    )


def delete_by_vectors(table: Table, places: dict[str, list[int]]) -> None:
    """The same as `delete_rows`, in the bitmaps of the format's third version."""
    path = new_file(table, "puffin")
    with open(plain(path), "wb") as stream:
        stream.write(puffin({name: vector(rows) for name, rows in places.items()}))
    commit_deletes(table, path, sum(map(len, places.values())), file_format=FileFormat.PUFFIN)


def vector(rows: list[int]) -> bytes:
    """One bitmap, whose rows are all below 2^32: its length, a magic number, the bitmap, a checksum of the two."""
    body = bytes.fromhex("d1d33964") + struct.pack("<QI", 1, 0) + BitMap(rows).serialize()
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def puffin(blobs: dict[str, bytes]) -> bytes:
    data, told = b"PFA1", []
    for name, blob in blobs.items():
        told.append({
            "type": "deletion-vector-v1",
            "fields": [],
            "snapshot-id": -1,
            "sequence-number": -1,
            "offset": len(data),
            "length": len(blob),
            "properties": {"referenced-data-file": name, "cardinality": "1"},
        })  # fmt: skip
        data += blob
    footer = json.dumps({"blobs": told, "properties": {}}).encode()
    return data + b"PFA1" + footer + struct.pack("<II", len(footer), 0) + b"PFA1"


def new_file(table: Table, kind: str) -> str:
    return f"{table.location()}/data/deletes-{len(table.metadata.snapshots)}.{kind}"


def plain(path: str) -> str:
    return path.removeprefix("file://")


def commit_deletes(table: Table, path: str, count: int, **told: Any) -> None:
    transaction = table.transaction()
    producer = DeleteRows(operation=Operation.DELETE, transaction=transaction, io=table.io, snapshot_properties={})
    producer.deletes = DataFile.from_args(
        **{
            "content": DataFileContent.POSITION_DELETES,
            "file_path": path,
            "file_format": FileFormat.PARQUET,
            "partition": Record(),
            "record_count": count,
            "file_size_in_bytes": 1,
            **told,
        }
    )
    producer.deletes.spec_id = table.spec().spec_id
    with producer:
        pass
    transaction.commit_transaction()
