"""Which members of the protocol's oneofs a message holds, at any depth."""

from typing import Any

from google.protobuf.message import Message
from pyspark.sql.connect.proto import catalog_pb2, commands_pb2, expressions_pb2, relations_pb2, types_pb2

ONEOFS: dict[str, tuple[Any, str]] = {
    "relation": (relations_pb2.Relation, "rel_type"),
    "expression": (expressions_pb2.Expression, "expr_type"),
    "literal": (expressions_pb2.Expression.Literal, "literal_type"),
    "type": (types_pb2.DataType, "kind"),
    "command": (commands_pb2.Command, "command_type"),
    "catalog": (catalog_pb2.Catalog, "cat_type"),
}
BY_NAME = {message.DESCRIPTOR.full_name: (kind, oneof) for kind, (message, oneof) in ONEOFS.items()}


def members() -> set[str]:
    """All of them: `relation.hint`, `literal.byte`."""
    return {
        f"{kind}.{field.name}"
        for kind, (message, oneof) in ONEOFS.items()
        for field in message.DESCRIPTOR.oneofs_by_name[oneof].fields
    }


def kinds_in(message: Message) -> set[str]:
    found: set[str] = set()
    if message.DESCRIPTOR.full_name in BY_NAME:
        kind, oneof = BY_NAME[message.DESCRIPTOR.full_name]
        member = message.WhichOneof(oneof)
        found |= {f"{kind}.{member}"} if member else set()
    for part in parts_of(message):
        found |= kinds_in(part)
    return found


def parts_of(message: Message) -> list[Message]:
    parts: list[Message] = []
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            parts += [each for each in value.values() if isinstance(each, Message)]
        else:
            parts += [value] if isinstance(value, Message) else list(value)
    return parts
