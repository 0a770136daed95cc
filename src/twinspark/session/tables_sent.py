"""Our tables for a Spark that does not see our files: their rows go along, as temporary views of its session."""

import hashlib
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.read.views import find_view
from twinspark.session.sql_names import Found, found_in_ours, quoted
from twinspark.session.tables_inlined import Inlining
from twinspark.tables.names import is_path

if TYPE_CHECKING:
    from twinspark.session.session import Session

LARGEST = 64 * 1024 * 1024  # bytes of Arrow: half of what a message may be (spark.connect.grpc.maxInboundMessageSize)
Parts = tuple[str, ...]


class Sending(Inlining):
    """In the place of a table's name stands the view that holds its rows."""

    def query(self, parts: Parts, version: str | None, moment: Expression | None) -> str | None:
        if is_path(parts) or find_view(parts, self.context) is not None:
            return None
        found = found_in_ours(parts, self.context, self.session)
        if found is None:
            return None
        if version is not None or moment is not None:
            raise NotNative(f"the table {quoted(parts)} as it was, for a Spark that does not see its files")
        return f"SELECT * FROM {self.session.sent.view_of(found)}"


class TablesSent:
    """What Spark's session was given. Views of its own may stand on it, so all of it follows our tables."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._known: dict[str, tuple[int, str, Found]] = {}  # the view -> of which Spark, its rows' digest, the table

    def along(self, request: Any, replayed: bool) -> bool:
        """Gives Spark what the request names; whether the request had to be changed."""
        sending = Sending(self._session, replayed)
        for view, (_, _, found) in list(self._known.items()):
            if found_in_ours(found.name.qualifier, sending.context, self._session) is None:
                del self._known[view]
            else:
                self.view_of(found)
        return sending.changed(request)

    def view_of(self, found: Found) -> str:
        """The view with the rows that the table has now."""
        name = f"twinspark_{digest(quoted(found.name.qualifier).encode())}"
        rows = self._rows(found)
        generation, sent = self._session.spark.opened(), digest(rows.local_relation.data)
        if self._known.get(name, ())[:2] != (generation, sent):
            self._session.spark.tell(self._creation(name, rows))
            self._known[name] = (generation, sent, found)
        return name

    def _rows(self, found: Found) -> Any:
        asked = relations_pb2.Relation()
        asked.sql.query = f"SELECT * FROM {quoted(found.name.qualifier)}"
        query = self._session.read(asked, self._session.shared.native.cursor())
        made = relations_pb2.Relation()
        made.local_relation.data = packed(query.stream(), quoted(found.name.qualifier))
        made.local_relation.schema = query.plan.schema.json()
        return made

    def _creation(self, name: str, rows: Any) -> bytes:
        request = base_pb2.ExecutePlanRequest(session_id=self._session.session_id, operation_id=str(uuid.uuid4()))
        request.user_context.user_id = self._session.user_id
        view = request.plan.command.create_dataframe_view
        view.input.CopyFrom(rows)
        view.name, view.replace = name, True
        return bytes(request.SerializeToString())


def packed(rows: pa.RecordBatchReader, name: str) -> bytes:
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
            raise NotNative(f"{name} is larger than 64 MiB, and that Spark does not see its files")
        yield batch


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
