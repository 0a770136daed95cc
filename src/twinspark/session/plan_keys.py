"""What makes two plans the same: their bytes, but for the numbers that a client gives its frames one after another."""

from functools import cache
from typing import Any

NUMBER = "plan_id"


def renumbered(message: Any) -> bytes:
    """A frame built again by the same code has other numbers, and they only say which of its parts are meant."""
    copied = message.__class__()
    copied.CopyFrom(message)
    renumber(copied, {})
    return bytes(copied.SerializeToString(deterministic=True))


def renumber(message: Any, numbers: dict[int, int]) -> None:
    for field, value in message.ListFields():
        if field.name == NUMBER:
            setattr(message, NUMBER, numbers.setdefault(value, len(numbers)))
        elif field.message_type is not None and field.message_type.full_name in numbered_types(message.DESCRIPTOR.file):
            for part in parts_of(field, value):
                renumber(part, numbers)


def parts_of(field: Any, value: Any) -> Any:
    if not field.is_repeated:
        return (value,)
    is_map = field.message_type.GetOptions().map_entry
    return [value[key] for key in sorted(value)] if is_map else value


@cache
def numbered_types(file: Any) -> frozenset[str]:
    """The kinds of messages with such a number somewhere inside: most parts of a plan need no look."""
    messages = {each.full_name: each for each in reachable(file)}
    found = {name for name, each in messages.items() if NUMBER in each.fields_by_name}
    while more := {n for n, each in messages.items() if n not in found and leads_to(each, found)}:
        found |= more
    return frozenset(found)


def leads_to(message: Any, found: set[str]) -> bool:
    return any(f.message_type is not None and f.message_type.full_name in found for f in message.fields)


def reachable(file: Any) -> list[Any]:
    waiting, seen = list(file.message_types_by_name.values()), {}
    while waiting:
        message = waiting.pop()
        if message.full_name not in seen:
            seen[message.full_name] = message
            waiting += [*message.nested_types, *(f.message_type for f in message.fields if f.message_type is not None)]
    return list(seen.values())
