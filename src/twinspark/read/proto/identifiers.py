"""Parses dotted names as Spark does: parts separated by dots, with backquotes around special characters."""

from functools import lru_cache

from twinspark.errors import SparkError


@lru_cache(4096)
def attribute_parts(name: str) -> tuple[str, ...]:
    """`a.b` -> (a, b); `` `a.b`.c `` -> (a.b, c) (UnresolvedAttribute.parseAttributeName)."""
    if "`" not in name:
        parts = name.split(".")
        if name and "" in parts:
            raise invalid(name)
        return tuple(parts)
    return quoted_parts(name)


def quoted_parts(name: str) -> tuple[str, ...]:
    parts: list[str] = []
    position = 0
    while position < len(name):
        part, position = next_part(name, position)
        parts.append(part)
    return tuple(parts)


def next_part(name: str, start: int) -> tuple[str, int]:
    """One part, and the offset of the next one."""
    if name[start] != "`":
        end = name.find(".", start)
        end = len(name) if end < 0 else end
        if end == start or "`" in name[start:end] or end == len(name) - 1:
            raise invalid(name)
        return name[start:end], end + 1
    position, text = start + 1, ""
    while position < len(name):
        if name[position] == "`":
            if name[position : position + 2] != "``":
                break
            position += 1
        text += name[position]
        position += 1
    else:
        raise invalid(name)
    if position + 1 < len(name) and (name[position + 1] != "." or position + 2 == len(name)):
        raise invalid(name)
    return text, position + 2


def invalid(name: str) -> SparkError:
    return SparkError("INVALID_ATTRIBUTE_NAME_SYNTAX", name=name)
