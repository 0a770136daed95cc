"""ALTER TABLE … CREATE, REPLACE, DROP BRANCH and TAG, in the grammar of Iceberg's extensions of Spark SQL."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.text import parser_config
from twinspark.session.sql_results import Answer
from twinspark.session.table_commands import REFERENCE
from twinspark.session.tables_targets import Target, commanded
from twinspark.session.writes_sql import done
from twinspark.tables.iceberg import references
from twinspark.tables.iceberg.references import Reference

if TYPE_CHECKING:
    from twinspark.session.session import Session

MILLISECONDS = {"DAYS": 86_400_000, "HOURS": 3_600_000, "MINUTES": 60_000}
UNIT = r"(\d+)\s+(DAYS|HOURS|MINUTES)"
CLAUSES = re.compile(
    rf"\s*(?:AS\s+OF\s+VERSION\s+(?P<version>\d+))?\s*(?:RETAIN\s+(?P<age>{UNIT}))?"
    rf"\s*(?:WITH\s+SNAPSHOT\s+RETENTION\s+(?:(?P<kept>\d+)\s+SNAPSHOTS)?\s*(?P<snapshot_age>{UNIT})?)?\s*;?\s*",
    re.IGNORECASE,
)


def change_reference(text: str, context: Context, session: "Session") -> Callable[[], Answer]:
    found = REFERENCE.fullmatch(text)
    assert found is not None
    parts = tuple(parse_multipart_identifier(found["table"], parser_config(context)))
    target = commanded(parts, context)
    assert target.iceberg
    name, kind = found["name"].strip("`"), found["kind"].lower()
    if found["action"].upper() == "DROP":
        there = found["if_exists"] is not None
        return done(lambda: references.drop(target.catalog.iceberg, target.name.identifier, kind, name, there))
    return making(target, kind, name, found)


def making(target: Target, kind: str, name: str, found: re.Match[str]) -> Callable[[], Answer]:
    told = CLAUSES.fullmatch(found["rest"] or "")
    if told is None:
        raise NotNative("SQL: a branch or tag with clauses of another kind")
    wanted = Reference(
        kind,
        name,
        number(told["version"]),
        milliseconds(told["age"]),
        milliseconds(told["snapshot_age"]),
        number(told["kept"]),
    )
    action = found["action"].upper()
    create, replace = "CREATE" in action, "REPLACE" in action
    absent = found["if_absent"] is not None
    iceberg, identifier = target.catalog.iceberg, target.name.identifier
    return done(lambda: references.make(iceberg, identifier, wanted, create, replace, absent))


def number(told: str | None) -> int | None:
    return None if told is None else int(told)


def milliseconds(told: str | None) -> int | None:
    if told is None:
        return None
    number, unit = told.split()
    return int(number) * MILLISECONDS[unit.upper()]
