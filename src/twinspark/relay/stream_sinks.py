"""Streams into Iceberg tables: Spark's file sink writes each batch to a directory, and we commit it to the table.

Spark, which has no Iceberg jar, knows only Parquet files. Its file sink logs the files of every finished batch once. A
property of the table says which batch of a stream it contains, and changes in the commit that adds the rows: so a batch
is committed exactly once, also when Spark or this server dies in between. Finished batches are committed before a
request is read, hence every request sees them."""

import hashlib
import json
import logging
import os
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark.sql.connect.proto import base_pb2, commands_pb2, relations_pb2
from pyspark.sql.connect.types import pyspark_types_to_proto_types

from twinspark.errors import JavaError, SparkError
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.sql_text import parser_config
from twinspark.sessions.catalog_lookup import CatalogEntry, find_in_own_catalogs
from twinspark.sessions.session import Session
from twinspark.sessions.shared import Shared
from twinspark.tables.catalog import Identifier
from twinspark.tables.char_types import has_length_limit, raw_type
from twinspark.tables.files.scan import ScanContext
from twinspark.tables.names import quote_name
from twinspark.tables.stream_log import batch_files

log = logging.getLogger("twinspark.session")
HOME = "spark_catalog"
FOLDER, FILES, DEFINITION = "streams", "files", "stream.json"
CHECKPOINT = "checkpointlocation"
FAILURES = (SparkError, JavaError, OSError)
LOOK_SECONDS = 1.0  # after which a stream of another server into the same tables is noticed


@dataclass
class Sink:
    """A directory that a stream writes for a table; `first` is the first batch for the table as it is now."""

    directory: str
    table: Identifier
    table_id: str
    first: int = 0

    @property
    def key(self) -> str:
        return os.path.basename(self.directory)

    @property
    def files(self) -> str:
        return os.path.join(self.directory, FILES)

    def save(self) -> None:
        os.makedirs(self.directory, exist_ok=True)
        definition = {"table": [*self.table.namespace, self.table.name], "id": self.table_id, "first": self.first}
        with open(os.path.join(self.directory, DEFINITION), "w", encoding="utf-8") as file:
            json.dump(definition, file)

    @classmethod
    def load(cls, directory: str) -> "Sink":
        with open(os.path.join(directory, DEFINITION), encoding="utf-8") as file:
            found = json.load(file)
        return cls(directory, Identifier.of(*found["table"]), found["id"], found["first"])


class StreamSinks:
    """One for a server: the streams that ever wrote to its Iceberg tables."""

    def __init__(self, shared: Shared, sees_files: bool) -> None:
        self._shared = shared
        self._sees_files = sees_files  # whether Spark can write to our directories
        self._folder = os.path.join(shared.catalogs.directory, FOLDER)
        self._lock = threading.Lock()
        self._has_streams = False
        self._looked_at = -LOOK_SECONDS
        self._committed: dict[str, int] = {}  # by sink: the number of logged batches that need no commit any more

    def redirect(self, session: Session, data: bytes) -> bytes:
        """The request with a directory as the sink, if it starts a stream into an Iceberg table."""
        request = base_pb2.ExecutePlanRequest.FromString(data)
        message = request.plan.command.write_stream_operation_start
        if not message.table_name or not self._sees_files:
            return data
        found = find_table(session, message.table_name)
        if found is None or is_file_table(found.table):
            return data
        check_sink(found)
        self._redirect(found, message)
        return bytes(request.SerializeToString())

    def _redirect(self, found: CatalogEntry, message: commands_pb2.WriteStreamOperationStart) -> None:
        sink = self._sink(found, message)
        with_schema = relations_pb2.Relation()
        with_schema.to_schema.input.CopyFrom(message.input)
        with_schema.to_schema.schema.CopyFrom(pyspark_types_to_proto_types(found.table.schema))  # type: ignore[union-attr]
        message.input.CopyFrom(with_schema)
        message.ClearField("partitioning_column_names")
        message.ClearField("clustering_column_names")
        message.format, message.path = "parquet", sink.files

    def _sink(self, found: CatalogEntry, message: commands_pb2.WriteStreamOperationStart) -> Sink:
        """A stream that is started again, which its checkpoint identifies, goes on in its directory."""
        options = {name.lower(): value for name, value in message.options.items()}
        start = options.get(CHECKPOINT) or str(uuid.uuid4())
        identity = quote_name(found.name.qualifier) + start
        directory = os.path.join(self._folder, hashlib.blake2b(identity.encode(), digest_size=8).hexdigest())
        table_id = str(found.table.table.metadata.table_uuid)  # type: ignore[union-attr]
        with self._lock:
            known = Sink.load(directory) if os.path.exists(os.path.join(directory, DEFINITION)) else None
            if known is not None and known.table_id == table_id:
                return known
            first = 0 if known is None else max(batch_files(known.files), default=-1) + 1
            made = Sink(directory, found.name.identifier, table_id, first)
            made.save()
            self._has_streams = True
        return made

    def commit_finished(self, request: bytes) -> None:
        """Commits all batches that streams have finished. A failure concerns requests that name the table."""
        if not self._find_streams():
            return
        with self._lock:
            for name in sorted(os.listdir(self._folder)):
                sink = Sink.load(os.path.join(self._folder, name))
                try:
                    self._commit(sink)
                except FAILURES as failure:
                    if sink.table.name.encode() in request.lower():
                        raise
                    log.warning("the batches of a stream into %s were not committed: %s", sink.table, failure)

    def _find_streams(self) -> bool:
        """Whether any stream ever wrote here; most servers have none, and a look at the disk costs a small query."""
        if not self._has_streams and (now := time.monotonic()) - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            self._has_streams = os.path.isdir(self._folder)
        return self._has_streams

    def _commit(self, sink: Sink) -> None:
        batches = batch_files(sink.files)
        if len(batches) == self._committed.get(sink.key):
            return
        home = self._shared.catalogs.of({}).get(HOME)
        table: Any = home.find_table(sink.table)
        if table is not None and not is_file_table(table) and str(table.table.metadata.table_uuid) == sink.table_id:
            context = ScanContext(self._shared.native.cursor(), self._shared.base_config())
            for batch in sorted(number for number in batches if number >= sink.first):
                home.commit_batch(sink.table, context, sink.key, batch, batches[batch])
                remove_files(batches[batch])
        self._committed[sink.key] = len(batches)


def remove_files(files: list[str]) -> None:
    """Their rows are in the table now."""
    for file in files:
        with suppress(FileNotFoundError):
            os.remove(file)


def find_table(session: Session, name: str) -> CatalogEntry | None:
    """The table of that name in our catalogs; views and tables of Spark are not searched for."""
    if session.shared.catalogs.is_empty(session.config.snapshot()):
        return None
    context = session.services.surroundings().context(session.shared.native.cursor())
    parts = parse_multipart_identifier(name, parser_config(context))
    found = find_in_own_catalogs(tuple(parts), context, session.catalogs)
    return None if found is None or found.table is None else found


def is_file_table(table: Any) -> bool:
    from twinspark.tables.files.table import FileTable

    return isinstance(table, FileTable)


def check_sink(found: CatalogEntry) -> None:
    """Raises Spark's error for Delta tables, tables of further catalogs, and those with CHAR or VARCHAR columns."""
    from twinspark.tables.iceberg.table import IcebergTable

    table = found.table
    plain = isinstance(table, IcebergTable) and not any(has_length_limit(raw_type(f)) for f in table.schema.fields)
    if found.name.catalog != HOME or not plain:
        name = quote_name(found.name.qualifier)
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=name, operation="streaming write")


def check_sources(session: Session, message: Any) -> None:
    """Raises Spark's error for streams that read an Iceberg or Delta table, for which Spark has no source here."""
    for name in streamed_tables(message):
        found = find_table(session, name)
        if found is not None and not is_file_table(found.table):
            raise SparkError(
                "UNSUPPORTED_FEATURE.TABLE_OPERATION",
                tableName=quote_name(found.name.qualifier),
                operation="either micro-batch or continuous scan",
            )


def streamed_tables(message: Any) -> list[str]:
    """The tables that a request reads as streams."""
    if isinstance(message, relations_pb2.Read):
        is_table = message.is_streaming and message.HasField("named_table")
        return [message.named_table.unparsed_identifier] if is_table else []
    from twinspark.relay.inlined_tables import messages_in

    return [name for each in messages_in(message) for name in streamed_tables(each)]
