"""ALTER TABLE of partition fields, write order, distribution mode and identifier fields."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import Transaction
from pyiceberg.table.sorting import NullOrder
from pyiceberg.transforms import IdentityTransform

from twinspark.errors import JavaError
from twinspark.tables.catalog import Identifier
from twinspark.tables.changes import exact_path
from twinspark.tables.iceberg.alter import schema_now
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.spec import iceberg_transform, source_field
from twinspark.tables.iceberg.staged_write import CommitConflict, QuickTransaction
from twinspark.tables.transforms import Transform

ILLEGAL = "java.lang.IllegalArgumentException"


@dataclass(frozen=True)
class Sorted:
    """A column of a sort order."""

    column: tuple[str, ...]
    ascending: bool = True
    nulls_first: bool = True


@contextmanager
def changing(catalog: IcebergCatalog, name: Identifier) -> Iterator[Transaction]:
    """A transaction; errors of PyIceberg become the IllegalArgumentException of Iceberg's Java library."""
    with catalog.lock(name):
        transaction = QuickTransaction(catalog.load(name))
        try:
            yield transaction
            transaction.commit_transaction()
        except CommitFailedException as error:
            raise CommitConflict(str(error)) from error
        except ValueError as error:
            raise JavaError(ILLEGAL, str(error)) from error


def add_partition_field(catalog: IcebergCatalog, name: Identifier, transform: Transform, called: str | None) -> None:
    with changing(catalog, name) as transaction, transaction.update_spec() as update:
        add(transaction, update, transform, called)


def drop_partition_field(catalog: IcebergCatalog, name: Identifier, field: Transform | str) -> None:
    with changing(catalog, name) as transaction, transaction.update_spec() as update:
        update.remove_field(field_name(transaction, field))


def replace_partition_field(
    catalog: IcebergCatalog, name: Identifier, field: Transform | str, transform: Transform, called: str | None
) -> None:
    with changing(catalog, name) as transaction, transaction.update_spec() as update:
        update.remove_field(field_name(transaction, field))
        add(transaction, update, transform, called)


def add(transaction: Transaction, update: Any, transform: Transform, called: str | None) -> None:
    metadata = transaction.table_metadata
    source = source_field(metadata.schema(), transform)
    update.add_field(metadata.schema().find_column_name(source.field_id), iceberg_transform(transform), called)


def field_name(transaction: Transaction, field: Transform | str) -> str:
    """The name of a partition field that is given by name or by transform."""
    metadata = transaction.table_metadata
    if isinstance(field, str):
        return field
    source, made = source_field(metadata.schema(), field), iceberg_transform(field)
    for each in metadata.spec().fields:
        if each.source_id == source.field_id and each.transform == made:
            return str(each.name)
    raise JavaError(ILLEGAL, f"Cannot find partition field to remove: {field}")


def write_ordered(catalog: IcebergCatalog, name: Identifier, order: Sequence[Sorted], distribution: str | None) -> None:
    """Sets the sort order, which is removed if there are no columns, and the property write.distribution-mode."""
    with changing(catalog, name) as transaction:
        with transaction.update_sort_order() as update:
            for each in order:
                place = ".".join(exact_path(schema_now(transaction), each.column))
                nulls = NullOrder.NULLS_FIRST if each.nulls_first else NullOrder.NULLS_LAST
                put: Callable[..., Any] = update.asc if each.ascending else update.desc
                put(place, IdentityTransform(), nulls)
        if distribution is not None:
            transaction.set_properties({"write.distribution-mode": distribution})


def identifier_fields(catalog: IcebergCatalog, name: Identifier, fields: Sequence[str], drop: bool) -> None:
    with changing(catalog, name) as transaction:
        known = set(transaction.table_metadata.schema().identifier_field_names())
        exact = {".".join(exact_path(schema_now(transaction), tuple(each.split(".")))) for each in fields}
        if drop and (unknown := sorted(exact - known)):
            raise ValueError(f"Cannot complete drop identifier fields operation: field {unknown[0]} not found")
        with transaction.update_schema() as update:
            update.set_identifier_fields(*(known - exact if drop else exact))
