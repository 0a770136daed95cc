"""ALTER TABLE … PARTITION FIELD, WRITE ORDERED BY and IDENTIFIER FIELDS, from Iceberg's SQL extensions."""

from collections.abc import Callable
from typing import Any

from twinspark.commands.ddl.alteration import Alteration
from twinspark.commands.ddl.create import transform_of
from twinspark.commands.dml.insert import done
from twinspark.commands.results import Answer
from twinspark.errors import NotNative, reasons
from twinspark.read.sql import tree
from twinspark.tables.iceberg import layout
from twinspark.tables.iceberg.layout import Sorted
from twinspark.tables.transforms import Transform

Command = Callable[[], Answer]


def add_partition_field(change: tree.AddPartitionField, alteration: Alteration) -> Command:
    place = alteration.iceberg
    made = transform(change.field, alteration)
    return done(lambda: layout.add_partition_field(*place, made, change.name))


def drop_partition_field(change: tree.DropPartitionField, alteration: Alteration) -> Command:
    place = alteration.iceberg
    field = partition_field(change.field, alteration)
    return done(lambda: layout.drop_partition_field(*place, field))


def replace_partition_field(change: tree.ReplacePartitionField, alteration: Alteration) -> Command:
    place = alteration.iceberg
    field, made = partition_field(change.field, alteration), transform(change.replacement, alteration)
    return done(lambda: layout.replace_partition_field(*place, field, made, change.name))


def partition_field(node: tree.PartitionTransform, alteration: Alteration) -> Transform | str:
    """A partition field by its name, if there is one, or by its transform."""
    if node.column is None:
        return transform(node, alteration)
    name = ".".join(node.column.parts)
    known = [each.name for each in alteration.target.iceberg.table.spec().fields]
    return transform(node, alteration) if name in alteration.target.table.schema.names and name not in known else name


def transform(node: tree.PartitionTransform, alteration: Alteration) -> Transform:
    return transform_of(node, alteration.text, alteration.context, alteration.services)


def write_order(change: tree.WriteOrder, alteration: Alteration) -> Command:
    place = alteration.iceberg
    columns = [sort_column(each, alteration) for each in change.order]
    mode = distribution(change)
    return done(lambda: layout.write_ordered(*place, columns, mode))


def distribution(change: tree.WriteOrder) -> str | None:
    """As in Iceberg: rows are ordered across all writers, unless LOCALLY ORDERED BY is written."""
    if change.distributed:
        return "hash"
    return {"UNORDERED": "none", "ORDERED": "range"}.get(change.ordering)


def sort_column(field: tree.OrderField, alteration: Alteration) -> Sorted:
    if (column := field.transform.column) is None:
        written = alteration.text[field.start : field.stop]
        raise NotNative(reasons.SQL_CLAUSE, f"ALTER TABLE … WRITE ORDERED BY {written}")
    ascending = field.ordering != "DESC"
    return Sorted(column.parts, ascending, field.nulls == "FIRST" if field.nulls else ascending)


def set_identifier_fields(change: tree.SetIdentifierFields, alteration: Alteration) -> Command:
    place = alteration.iceberg
    return done(lambda: layout.identifier_fields(*place, field_names(change.fields), False))


def drop_identifier_fields(change: tree.DropIdentifierFields, alteration: Alteration) -> Command:
    place = alteration.iceberg
    return done(lambda: layout.identifier_fields(*place, field_names(change.fields), True))


def field_names(fields: tuple[tree.Name, ...]) -> list[str]:
    return [".".join(each.parts) for each in fields]


CHANGES: dict[type, Callable[[Any, Alteration], Command]] = {
    tree.AddPartitionField: add_partition_field,
    tree.DropPartitionField: drop_partition_field,
    tree.ReplacePartitionField: replace_partition_field,
    tree.WriteOrder: write_order,
    tree.SetIdentifierFields: set_identifier_fields,
    tree.DropIdentifierFields: drop_identifier_fields,
}
