"""Replaces checkpoints in a plan for Spark by their rows, since Spark does not know our checkpoint ids."""

from collections.abc import Iterator

import pyarrow as pa
from google.protobuf.message import Message
from pyspark.sql.connect.proto import relations_pb2

from twinspark.compile.query import stream_rows
from twinspark.sessions.session import Session


def with_rows(request: Message, data: bytes, session: Session) -> bytes:
    """The request as Spark can read it; the original bytes if it names no checkpoint of ours."""
    if not names_checkpoint(request, session):
        return data
    copy = type(request)()
    copy.CopyFrom(request)
    for relation in [each for each in relations_in(copy) if is_ours(each, session)]:
        bring(relation, session)
    return bytes(copy.SerializeToString())


def names_checkpoint(request: Message, session: Session) -> bool:
    return bool(session.checkpoints) and any(is_ours(each, session) for each in relations_in(request))


def is_ours(relation: relations_pb2.Relation, session: Session) -> bool:
    return bool(
        relation.WhichOneof("rel_type") == "cached_remote_relation"
        and session.checkpoints.has(relation.cached_remote_relation.relation_id)
    )


def relations_in(message: Message) -> Iterator[relations_pb2.Relation]:
    """Every relation in a message, at any depth."""
    if isinstance(message, relations_pb2.Relation):
        yield message
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            inner = [each for each in value.values() if hasattr(each, "ListFields")]
        else:
            inner = list(value) if field.is_repeated else [value]
        for each in inner:
            yield from relations_in(each)


def bring(relation: relations_pb2.Relation, session: Session) -> None:
    id = relation.cached_remote_relation.relation_id
    cursor = session.shared.native.cursor()
    context = session.services.surroundings().context(cursor)
    plan = session.checkpoints.relation(id, context)
    table = stream_rows(plan, context, cursor).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    relation.local_relation.data = sink.getvalue().to_pybytes()
    relation.local_relation.schema = plan.schema.json()
