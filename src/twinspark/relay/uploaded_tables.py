"""Uploads the rows of our tables to a remote Spark that cannot read our files, as temporary views of its session."""

import hashlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression
from twinspark.read.views import find_view
from twinspark.relay.inlined_tables import Inlining
from twinspark.sessions.catalog_lookup import CatalogEntry, find_in_own_catalogs
from twinspark.sessions.session import Session
from twinspark.tables.names import is_path, quote_name

LARGEST = 64 * 1024 * 1024  # bytes of Arrow: half of the largest message (spark.connect.grpc.maxInboundMessageSize)
Parts = tuple[str, ...]


class OpenSide(Protocol):
    """The counterpart of the session on Spark (session.SparkSide)."""

    def open_generation(self) -> int: ...
    def execute_command(self, request: bytes) -> None: ...


@dataclass
class UploadInlining(Inlining):
    """Replaces a table's name by the view that contains its rows."""

    sent: "UploadedTables"

    def query(self, parts: Parts, version: str | None, moment: Expression | None) -> str | None:
        if is_path(parts) or find_view(parts, self.context) is not None:
            return None
        found = find_in_own_catalogs(parts, self.context, self.session.catalogs)
        if found is None:
            return None
        if version is not None or moment is not None:
            raise NotNative(reasons.TABLE_NOT_VISIBLE, f"a former version of {quote_name(parts)}")
        return f"SELECT * FROM {self.sent.view_of(found)}"


class UploadedTables:
    """The tables uploaded to Spark's session. Views on Spark may use them, so all of them follow changes of our
    tables."""

    def __init__(self, session: Session, side: OpenSide) -> None:
        self._session = session
        self._side = side
        self._known: dict[
            str, tuple[int, str, CatalogEntry]
        ] = {}  # view name -> Spark generation, digest of the rows, table

    def along(self, request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest, replayed: bool) -> bool:
        """Uploads the tables that the request names; returns whether the request had to be changed."""
        sending = UploadInlining(self._session, replayed, self)
        for view, (_, _, found) in list(self._known.items()):
            if find_in_own_catalogs(found.name.qualifier, sending.context, self._session.catalogs) is None:
                del self._known[view]
            else:
                self.view_of(found)
        return sending.change(request)

    def view_of(self, found: CatalogEntry) -> str:
        """The view with the table's current rows."""
        name = f"twinspark_{digest(quote_name(found.name.qualifier).encode())}"
        rows = self._rows(found)
        generation, sent = self._side.open_generation(), digest(rows.local_relation.data)
        if self._known.get(name, ())[:2] != (generation, sent):
            self._side.execute_command(self._creation(name, rows))
            self._known[name] = (generation, sent, found)
        return name

    def _rows(self, found: CatalogEntry) -> Any:
        relation = relations_pb2.Relation()
        relation.sql.query = f"SELECT * FROM {quote_name(found.name.qualifier)}"
        query = self._session.services.read(relation, self._session.shared.native.cursor())
        made = relations_pb2.Relation()
        made.local_relation.data = arrow_stream(query.stream(), quote_name(found.name.qualifier))
        made.local_relation.schema = query.plan.schema.json()
        return made

    def _creation(self, name: str, rows: Any) -> bytes:
        request = base_pb2.ExecutePlanRequest(session_id=self._session.session_id, operation_id=str(uuid.uuid4()))
        request.user_context.user_id = self._session.user_id
        view = request.plan.command.create_dataframe_view
        view.input.CopyFrom(rows)
        view.name, view.replace = name, True
        return bytes(request.SerializeToString())


def arrow_stream(rows: pa.RecordBatchReader, name: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        for batch in within_limit(rows, name):
            writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def within_limit(rows: pa.RecordBatchReader, name: str) -> Iterator[pa.RecordBatch]:
    size = 0
    for batch in rows:
        size += batch.nbytes
        if size > LARGEST:
            raise NotNative(reasons.TABLE_NOT_VISIBLE, f"{name} is larger than 64 MiB")
        yield batch


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
