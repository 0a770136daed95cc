"""Writes docs/reference/spark-list.md: what of the Connect protocol runs natively, and why the rest falls back.

python -m tools.spark_list
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql.connect.proto import catalog_pb2, commands_pb2, expressions_pb2, relations_pb2, types_pb2

import twinspark.read.proto as readers
from twinspark.commands import connect_commands, handlers
from twinspark.commands.dispatch import ROUTES
from twinspark.commands.query import cache as sql_cache
from twinspark.errors import Cause, Reason
from twinspark.read.proto import literals
from twinspark.read.proto.expressions import EXPRESSIONS
from twinspark.read.proto.relations import RELATIONS
from twinspark.read.proto.route import Routes

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "spark-list.md"
HEAD = """# What falls back to Spark, and why

Every member of the protocol's relations, expressions, constants, types, catalog calls and commands: *native* ones are
read and run by the embedded engine (a function, a type or an option inside may still fall back: see functions.md);
the others are relayed to Spark unchanged, for the reason with that code ([reasons.md](reasons.md)). Written by
`python -m tools.spark_list`; a test holds that no member is forgotten, and that every native one is in a case recorded
from Spark (tests/plans, tests/proto).
"""


def routed(kind: Any, oneof: str) -> frozenset[str]:
    """The members whose messages have a handler."""
    fields = kind.DESCRIPTOR.oneofs_by_name[oneof].fields
    return frozenset(field.name for field in fields if field.message_type._concrete_class in ROUTES)


COMMANDS = routed(commands_pb2.Command, "command_type")
LITERALS = frozenset({*literals.PLAIN, *literals.OLD, "specialized_array"})  # the last is refused as Spark does
TYPES = frozenset(field.name for field in types_pb2.DataType.DESCRIPTOR.oneofs_by_name["kind"].fields)
CALLS = routed(catalog_pb2.Catalog, "cat_type")
REGISTERED = (readers, handlers, sql_cache)  # their handlers are in the tables once they are imported


def members(message: Any, oneof: str) -> list[str]:
    return [field.name for field in message.DESCRIPTOR.oneofs_by_name[oneof].fields]


def route_lines(routes: Routes, message: Any) -> Iterator[tuple[str, str]]:
    for member in members(message, routes.oneof):
        if member in routes.handlers:
            yield member, "native"
        elif member in routes.parts:
            yield member, f"native, in {routes.parts[member]}"
        else:
            yield member, on_spark(routes.causes[member])  # KeyError: a member that nobody has thought of


def table_lines(
    message: Any, oneof: str, native: frozenset[str], reasons: Mapping[str, Reason]
) -> Iterator[tuple[str, str]]:
    for member in members(message, oneof):
        yield member, "native" if member in native else on_spark(Cause(reasons[member]))


def on_spark(cause: Cause) -> str:
    return f"Spark: `{cause.reason.code}`" + (f", {cause.detail}" if cause.detail else "")


def sections() -> dict[str, list[tuple[str, str]]]:
    literal = expressions_pb2.Expression.Literal
    return {
        "Relations": list(route_lines(RELATIONS, relations_pb2.Relation)),
        "Expressions": list(route_lines(EXPRESSIONS, expressions_pb2.Expression)),
        "Constants": list(table_lines(literal, "literal_type", LITERALS, literals.TO_SPARK)),
        "Types": list(table_lines(types_pb2.DataType, "kind", TYPES, {})),
        "Catalog calls": list(table_lines(catalog_pb2.Catalog, "cat_type", CALLS, {})),
        "Commands": list(table_lines(commands_pb2.Command, "command_type", COMMANDS, connect_commands.TO_SPARK)),
    }


def page() -> str:
    parts = [HEAD]
    for title, lines in sections().items():
        rows = "\n".join(f"| `{member}` | {answer} |" for member, answer in lines)
        native = sum(answer.startswith("native") for _, answer in lines)
        parts.append(f"## {title}\n\n{native} of {len(lines)} are native.\n\n| member | engine |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
