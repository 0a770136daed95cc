"""Applies TableChanges to an Iceberg table in order, in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyiceberg.exceptions import ValidationError
from pyiceberg.table import Transaction
from pyiceberg.table.update import RemovePropertiesUpdate, SetPropertiesUpdate
from pyspark.sql.types import CharType, DataType, StringType, StructType, VarcharType

from twinspark.errors import JavaError, SparkError
from twinspark.tables.changes import (
    AddColumn,
    After,
    ColumnPath,
    DeleteColumn,
    First,
    MoveColumn,
    Position,
    RemoveProperty,
    RenameColumn,
    SetProperty,
    TableChange,
    UpdateColumn,
    UpdateColumnComment,
    UpdateColumnDefault,
    UpdateColumnNullability,
    check_new_field,
    exact_path,
    find_field,
    quote_path,
)
from twinspark.tables.char_types import raw_type
from twinspark.tables.iceberg.format_version import VERSION, version_of
from twinspark.tables.iceberg.types import DEFAULT, EXISTS, SPARK_TYPE, WIDENED, iceberg_type, spark_schema
from twinspark.types import sql_name


def apply_changes(transaction: Transaction, changes: Sequence[TableChange], table_name: str) -> None:
    """Each change is checked against the schema after the ones before it."""
    for change in changes:
        STEPS[change.__class__](transaction, change, table_name)


def schema_now(transaction: Transaction) -> StructType:
    metadata = transaction.table_metadata
    return spark_schema(metadata.schema(), metadata.properties)


def field_id(transaction: Transaction, path: ColumnPath) -> int:
    return int(transaction.table_metadata.schema().find_field(".".join(path)).field_id)


def add_column(transaction: Transaction, change: AddColumn, table_name: str) -> None:
    schema = schema_now(transaction)
    parent = exact_path(schema, change.parent)
    check_new_field(schema, parent, change.name, "add")
    path = (*parent, change.name)
    counter = iter(range(10_000_000, 2**31))
    with transaction.update_schema(allow_incompatible_changes=True) as update:
        update.add_column(path, iceberg_type(change.type, lambda: next(counter)), change.comment, False)
        set_position(update, path, change.position)
    remember_type(transaction, path, change.type)
    if change.default is not None:
        update_default(transaction, UpdateColumnDefault(path, change.default), table_name)
    if change.exists is not None:
        set_properties(transaction, {f"{EXISTS}{field_id(transaction, path)}": change.exists})
    if not change.nullable:
        update_nullability(transaction, UpdateColumnNullability(path, False), table_name)


def set_position(update: Any, path: ColumnPath, position: Position | None) -> None:
    if isinstance(position, First):
        update.move_first(path)
    if isinstance(position, After):
        update.move_after(path, (*path[:-1], position.column))


def remember_type(transaction: Transaction, path: ColumnPath, type: Any) -> None:
    key = f"{SPARK_TYPE}{field_id(transaction, path)}"
    if isinstance(type, WIDENED):
        set_properties(transaction, {key: type.json()})
    else:
        remove_properties(transaction, [key])


def update_column(transaction: Transaction, change: UpdateColumn, table_name: str) -> None:
    schema = schema_now(transaction)
    path = exact_path(schema, change.column)
    field = find_field(schema, path)
    old = raw_type(field)
    counter = iter(range(10_000_000, 2**31))
    wanted = iceberg_type(change.type, lambda: next(counter))
    try:
        check_length(old, change.type)
        with transaction.update_schema() as update:
            update.update_column(path, field_type=wanted)
    except (ValidationError, ValueError) as error:
        raise SparkError(
            "NOT_SUPPORTED_CHANGE_COLUMN",
            table=table_name,
            originName=quote_path(path),
            originType=f'"{sql_name(old)}"',
            newName=quote_path(path),
            newType=f'"{sql_name(change.type)}"',
        ) from error
    remember_type(transaction, path, change.type)


def check_length(old: DataType, new: DataType) -> None:
    """A VARCHAR may become longer; a CHAR cannot change, nor a STRING become a VARCHAR (checkAlterTableCommand)."""
    match old, new:
        case CharType(), CharType():
            fits = old.length == new.length
        case ((CharType() | VarcharType()), VarcharType()):
            fits = old.length <= new.length
        case ((CharType() | VarcharType()), _):
            fits = isinstance(new, StringType)
        case _:
            fits = not isinstance(new, CharType | VarcharType)
    if not fits:
        raise ValidationError(f"{old.simpleString()} cannot become {new.simpleString()}")


def update_nullability(transaction: Transaction, change: UpdateColumnNullability, table_name: str) -> None:
    path = exact_path(schema_now(transaction), change.column)
    with transaction.update_schema(allow_incompatible_changes=True) as update:
        update.update_column(path, required=not change.nullable)


def update_comment(transaction: Transaction, change: UpdateColumnComment, table_name: str) -> None:
    path = exact_path(schema_now(transaction), change.column)
    with transaction.update_schema() as update:
        update.update_column(path, doc=change.comment)


def update_default(transaction: Transaction, change: UpdateColumnDefault, table_name: str) -> None:
    key = f"{DEFAULT}{field_id(transaction, exact_path(schema_now(transaction), change.column))}"
    if change.default is None:
        remove_properties(transaction, [key])
    else:
        set_properties(transaction, {key: change.default})


def delete_column(transaction: Transaction, change: DeleteColumn, table_name: str) -> None:
    schema = schema_now(transaction)
    try:
        path = exact_path(schema, change.column)
    except SparkError:
        if change.if_exists:
            return
        raise
    with transaction.update_schema() as update:
        update.delete_column(path)


def rename_column(transaction: Transaction, change: RenameColumn, table_name: str) -> None:
    schema = schema_now(transaction)
    path = exact_path(schema, change.column)
    if path[-1].lower() != change.new_name.lower():
        check_new_field(schema, path[:-1], change.new_name, "rename")
    with transaction.update_schema() as update:
        update.rename_column(path, change.new_name)


def move_column(transaction: Transaction, change: MoveColumn, table_name: str) -> None:
    schema = schema_now(transaction)
    path = exact_path(schema, change.column)
    if isinstance(change.position, After):
        find_field(schema, (*path[:-1], change.position.column))
    with transaction.update_schema() as update:
        set_position(update, path, change.position)


def set_property(transaction: Transaction, change: SetProperty, table_name: str) -> None:
    """The property format-version upgrades the table; it cannot be lowered."""
    if change.property == VERSION:
        raise_version(transaction, version_of(change.value, table_name))
        return
    set_properties(transaction, {change.property: change.value})


def remove_property(transaction: Transaction, change: RemoveProperty, table_name: str) -> None:
    """A missing key is no error, as in Spark's UNSET TBLPROPERTIES."""
    remove_properties(transaction, [change.property])


def raise_version(transaction: Transaction, version: int) -> None:
    try:
        transaction.upgrade_table_version(version)
    except ValueError as lower:
        raise JavaError("java.lang.IllegalArgumentException", str(lower)) from lower


def set_properties(transaction: Transaction, properties: Mapping[str, str]) -> None:
    transaction._stage((SetPropertiesUpdate(updates=dict(properties)),))


def remove_properties(transaction: Transaction, keys: Sequence[str]) -> None:
    present = [key for key in keys if key in transaction.table_metadata.properties]
    if present:
        transaction._stage((RemovePropertiesUpdate(removals=present),))


STEPS: Mapping[type, Callable[[Transaction, Any, str], None]] = {
    AddColumn: add_column,
    UpdateColumn: update_column,
    UpdateColumnNullability: update_nullability,
    UpdateColumnComment: update_comment,
    UpdateColumnDefault: update_default,
    DeleteColumn: delete_column,
    RenameColumn: rename_column,
    MoveColumn: move_column,
    SetProperty: set_property,
    RemoveProperty: remove_property,
}
