"""Cache keys of plans: their bytes, with the plan ids that a client assigns in sequence replaced by relative
numbers."""

from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor
from google.protobuf.message import Message
from pyspark.sql.connect.proto import relations_pb2

NUMBER = "plan_id"


def plan_key(message: relations_pb2.Relation) -> bytes:
    """A DataFrame built again by the same code has other plan ids, which only identify subplans within the plan."""
    copied = message.__class__()
    copied.CopyFrom(message)
    renumber(copied, {})
    return bytes(copied.SerializeToString(deterministic=True))


def renumber(message: Message, numbers: dict[int, int]) -> None:
    for field, value in message.ListFields():
        if field.name == NUMBER:
            setattr(message, NUMBER, numbers.setdefault(value, len(numbers)))
        elif field.message_type is not None and field.message_type.full_name in numbered_types(message.DESCRIPTOR.file):
            for part in parts_of(field, value):
                renumber(part, numbers)


def parts_of(field: FieldDescriptor, value: Any) -> Any:
    if not field.is_repeated:
        return (value,)
    is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
    return [value[key] for key in sorted(value)] if is_map else value


@cache
def numbered_types(file: FileDescriptor) -> frozenset[str]:
    """The message types that contain a plan id somewhere: most messages of a plan need not be visited."""
    messages = {each.full_name: each for each in reachable(file)}
    found = {name for name, each in messages.items() if NUMBER in each.fields_by_name}
    while more := {n for n, each in messages.items() if n not in found and leads_to(each, found)}:
        found |= more
    return frozenset(found)


def leads_to(message: Descriptor, found: set[str]) -> bool:
    return any(f.message_type is not None and f.message_type.full_name in found for f in message.fields)


def reachable(file: FileDescriptor) -> list[Any]:
    waiting, seen = list(file.message_types_by_name.values()), {}
    while waiting:
        message = waiting.pop()
        if message.full_name not in seen:
            seen[message.full_name] = message
            waiting += [*message.nested_types, *(f.message_type for f in message.fields if f.message_type is not None)]
    return list(seen.values())
