"""Checkpoints that a plan for Spark names: their rows go along, since Spark does not know our ids."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from twinspark.duck import run

if TYPE_CHECKING:
    from twinspark.session.session import Session


def with_rows(request: Any, data: bytes, session: "Session") -> bytes:
    """The request as Spark can read it; its own bytes where it names no checkpoint of ours."""
    if not names_checkpoint(request, session):
        return data
    copy = type(request)()
    copy.CopyFrom(request)
    for relation in [each for each in relations_in(copy) if is_ours(each, session)]:
        bring(relation, session)
    return bytes(copy.SerializeToString())


def names_checkpoint(request: Any, session: "Session") -> bool:
    return bool(session.checkpoints) and any(is_ours(each, session) for each in relations_in(request))


def is_ours(relation: Any, session: "Session") -> bool:
    return bool(
        relation.WhichOneof("rel_type") == "cached_remote_relation"
        and session.checkpoints.has(relation.cached_remote_relation.relation_id)
    )


def relations_in(message: Any) -> Iterator[Any]:
    """Every relation in a message, however deep."""
    if message.DESCRIPTOR.full_name == "spark.connect.Relation":
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


def bring(relation: Any, session: "Session") -> None:
    id = relation.cached_remote_relation.relation_id
    cursor = session.shared.native.cursor()
    context = session.surroundings().context(cursor)
    plan = session.checkpoints.relation(id, context)
    table = run.stream(cursor, plan, context.settings).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    relation.local_relation.data = sink.getvalue().to_pybytes()
    relation.local_relation.schema = plan.schema.json()
