"""ALTER TABLE … PARTITION FIELD, WRITE ORDERED BY and IDENTIFIER FIELDS, in the grammar of Iceberg's extensions."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.text import parser_config
from twinspark.session.sql_results import Answer
from twinspark.session.table_commands import LAYOUT
from twinspark.session.tables_targets import Target, commanded
from twinspark.session.writes_sql import done
from twinspark.tables.iceberg import layout
from twinspark.tables.iceberg.layout import Sorted
from twinspark.tables.transforms import Identity, Transform, of_call

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
NAMED = re.compile(r"(?P<field>.*?)(?:\s+AS\s+(?P<name>\w+|`[^`]+`))?\s*;?\s*", re.IGNORECASE | re.DOTALL)
REPLACED = re.compile(r"(?P<old>.*?)\s+WITH\s+(?P<new>.*)", re.IGNORECASE | re.DOTALL)
ORDERED = re.compile(
    r"(?:(?P<unordered>UNORDERED)|(?P<distributed>DISTRIBUTED\s+BY\s+PARTITION)?\s*"
    r"(?:(?P<locally>LOCALLY\s+)?ORDERED\s+BY\s+(?P<order>.*?))?)\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
SORTED = re.compile(r"\s*([\w.`]+)(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?\s*", re.IGNORECASE)


def change_layout(text: str, context: Context, session: "Session") -> Command:
    found = LAYOUT.fullmatch(text)
    assert found is not None
    target = commanded(tuple(parse_multipart_identifier(found["table"], parser_config(context))), context)
    assert target.iceberg
    verb, rest = re.sub(r"\s+", " ", found["verb"].upper()), found["rest"]
    if verb == "WRITE":
        return ordered(target, rest)
    if verb.endswith("IDENTIFIER FIELDS"):
        fields = [each.strip().replace("`", "") for each in rest.strip().rstrip(";").split(",")]
        drop = verb.startswith("DROP")
        return done(lambda: layout.identifier_fields(*place_of(target), fields, drop))
    return partitioned(target, verb.split()[0], rest, context)


def place_of(target: Target) -> tuple[layout.IcebergCatalog, layout.Identifier]:
    return target.catalog.iceberg, target.name.identifier


def partitioned(target: Target, verb: str, rest: str, context: Context) -> Command:
    if verb == "DROP":
        gone = field_of(rest.strip().rstrip(";"), target, context)
        return done(lambda: layout.drop_partition_field(*place_of(target), gone))
    if verb == "ADD":
        transform, name = named(rest, context)
        return done(lambda: layout.add_partition_field(*place_of(target), transform, name))
    both = REPLACED.fullmatch(rest)
    if both is None:
        raise NotNative("SQL: REPLACE PARTITION FIELD without WITH")
    old = field_of(both["old"], target, context)
    transform, name = named(both["new"], context)
    return done(lambda: layout.replace_partition_field(*place_of(target), old, transform, name))


def named(text: str, context: Context) -> tuple[Transform, str | None]:
    found = NAMED.fullmatch(text)
    assert found is not None
    return transform_of(found["field"], context), found["name"] and found["name"].strip("`")


def field_of(text: str, target: Target, context: Context) -> Transform | str:
    """A field by its name, where there is one, or by what it is made of."""
    name = text.strip().strip("`")
    known = [each.name for each in target.iceberg.table.spec().fields]
    is_made = "(" in text or name in target.table.schema.names
    return transform_of(text, context) if is_made and name not in known else name


def transform_of(text: str, context: Context) -> Transform:
    call = CALL.fullmatch(text)
    if call is None:
        return Identity(column(text, context))
    return of_call(call[1], [argument(each, context) for each in call[2].split(",")])


def argument(text: str, context: Context) -> tuple[str, ...] | int:
    return int(text) if text.strip().isdigit() else column(text, context)


def column(text: str, context: Context) -> tuple[str, ...]:
    return tuple(parse_multipart_identifier(text.strip(), parser_config(context)))


def ordered(target: Target, rest: str) -> Command:
    """As Iceberg has it: an order is among all writers, unless it is said to be each one's own."""
    told = ORDERED.fullmatch(rest)
    if told is None:
        raise NotNative(f"SQL: ALTER TABLE … WRITE {rest.strip()}")
    columns = [sorted_by(each) for each in told["order"].split(",")] if told["order"] else []
    distribution = "hash" if told["distributed"] else "none" if told["unordered"] else None
    if distribution is None and told["order"] and not told["locally"]:
        distribution = "range"
    return done(lambda: layout.write_ordered(*place_of(target), columns, distribution))


def sorted_by(text: str) -> Sorted:
    found = SORTED.fullmatch(text)
    if found is None:
        raise NotNative(f"SQL: ALTER TABLE … WRITE ORDERED BY {text.strip()}")
    ascending = (found[2] or "ASC").upper() == "ASC"
    nulls_first = ascending if found[3] is None else found[3].upper() == "FIRST"
    return Sorted(tuple(found[1].replace("`", "").split(".")), ascending, nulls_first)
