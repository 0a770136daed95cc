"""ALTER TABLE … CREATE, REPLACE and DROP BRANCH or TAG, from Iceberg's SQL extensions."""

from collections.abc import Callable
from typing import Any

from twinspark.commands.ddl.alteration import Alteration
from twinspark.commands.dml.insert import done
from twinspark.commands.results import Answer
from twinspark.read.sql import tree
from twinspark.tables.iceberg import references
from twinspark.tables.iceberg.references import Reference

Command = Callable[[], Answer]
MILLISECONDS = {"DAYS": 86_400_000, "HOURS": 3_600_000, "MINUTES": 60_000}


def create_reference(change: tree.CreateReference, alteration: Alteration) -> Command:
    wanted = Reference(
        change.kind.lower(),
        change.name,
        change.version,
        milliseconds(change.retain),
        milliseconds(change.snapshot_age),
        change.min_snapshots,
    )
    catalog, identifier = alteration.iceberg
    options = change.create, change.replace, change.if_not_exists
    return done(lambda: references.make(catalog, identifier, wanted, *options))


def drop_reference(change: tree.DropReference, alteration: Alteration) -> Command:
    catalog, identifier = alteration.iceberg
    kind = change.kind.lower()
    return done(lambda: references.drop(catalog, identifier, kind, change.name, change.if_exists))


def milliseconds(age: tree.Age | None) -> int | None:
    return None if age is None else age.number * MILLISECONDS[age.unit]


CHANGES: dict[type, Callable[[Any, Alteration], Command]] = {
    tree.CreateReference: create_reference,
    tree.DropReference: drop_reference,
}
