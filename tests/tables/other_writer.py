"""A writer that deletes rows by naming them in files of their own, as Iceberg's format allows and ours does not do."""

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


def delete_rows(table: Table, places: list[tuple[str, int]], content: Any = DataFileContent.POSITION_DELETES) -> None:
    """One snapshot more, in which these rows (path and number) are gone."""
    path = f"{table.location()}/data/deletes-{len(table.metadata.snapshots)}.parquet"
    local = path.removeprefix("file://")
    pq.write_table(pa.Table.from_pylist([{"file_path": p, "pos": n} for p, n in places], SCHEMA), local)
    transaction = table.transaction()
    producer = DeleteRows(operation=Operation.DELETE, transaction=transaction, io=table.io, snapshot_properties={})
    producer.deletes = DataFile.from_args(
        content=content,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=len(places),
        file_size_in_bytes=1,
    )
    producer.deletes.spec_id = table.spec().spec_id
    with producer:
        pass
    transaction.commit_transaction()
