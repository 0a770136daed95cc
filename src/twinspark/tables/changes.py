"""TableChange: the single steps of an ALTER TABLE, applied in order, all or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from twinspark.errors import SparkError
from twinspark.types import quote_identifier, sql_name

ColumnPath = tuple[str, ...]


@dataclass(frozen=True)
class First:
    """Before all other fields of the same parent."""


@dataclass(frozen=True)
class After:
    """After a field of the same parent."""

    column: str


Position = First | After


@dataclass(frozen=True)
class AddColumn:
    parent: ColumnPath
    name: str
    type: DataType
    comment: str | None = None
    nullable: bool = True
    position: Position | None = None
    default: str | None = None
    exists: str | None = None  # the value of existing rows: a literal that both engines read alike


@dataclass(frozen=True)
class UpdateColumn:
    column: ColumnPath
    type: DataType


@dataclass(frozen=True)
class UpdateColumnNullability:
    column: ColumnPath
    nullable: bool


@dataclass(frozen=True)
class UpdateColumnComment:
    column: ColumnPath
    comment: str


@dataclass(frozen=True)
class UpdateColumnDefault:
    """`None` drops the default."""

    column: ColumnPath
    default: str | None


@dataclass(frozen=True)
class DeleteColumn:
    column: ColumnPath
    if_exists: bool = False


@dataclass(frozen=True)
class RenameColumn:
    """A rename cannot move a column to another parent."""

    column: ColumnPath
    new_name: str


@dataclass(frozen=True)
class MoveColumn:
    column: ColumnPath
    position: Position


@dataclass(frozen=True)
class SetProperty:
    property: str
    value: str


@dataclass(frozen=True)
class RemoveProperty:
    property: str


TableChange = (
    AddColumn
    | UpdateColumn
    | UpdateColumnNullability
    | UpdateColumnComment
    | UpdateColumnDefault
    | DeleteColumn
    | RenameColumn
    | MoveColumn
    | SetProperty
    | RemoveProperty
)


def at_position(fields: Sequence[StructField], field: StructField, position: Position | None) -> list[StructField]:
    others = [each for each in fields if each is not field]
    if position is None:
        return [*others, field]
    if isinstance(position, First):
        return [field, *others]
    at = next((i for i, each in enumerate(others) if each.name.lower() == position.column.lower()), None)
    if at is None:
        raise field_not_found((position.column,), StructType(list(fields)))
    return [*others[: at + 1], field, *others[at + 1 :]]


def find_field(schema: StructType, path: ColumnPath) -> StructField:
    """The field a path names; `element`, `key` and `value` lead into arrays and maps (StructType.findNestedField)."""
    type: DataType = schema
    found: StructField | None = None
    for part in path:
        found = child_of(type, part)
        if found is None:
            raise field_not_found(path, schema)
        type = found.dataType
    assert found is not None
    return found


def child_of(type: DataType, name: str) -> StructField | None:
    folded = name.lower()
    if isinstance(type, StructType):
        return next((field for field in type.fields if field.name.lower() == folded), None)
    if isinstance(type, ArrayType) and folded == "element":
        return StructField("element", type.elementType, type.containsNull)
    if isinstance(type, MapType) and folded in ("key", "value"):
        return StructField(folded, type.keyType if folded == "key" else type.valueType, type.valueContainsNull)
    return None


def exact_path(schema: StructType, path: ColumnPath) -> ColumnPath:
    """The path in the schema's spelling: names are compared case-insensitively."""
    return tuple(find_field(schema, path[: at + 1]).name for at in range(len(path)))


def field_not_found(path: ColumnPath, schema: StructType) -> SparkError:
    names = ", ".join(quote_identifier(name) for name in schema.names)
    return SparkError("FIELD_NOT_FOUND", fieldName=quote_path(path), fields=names)


def check_new_column(schema: StructType, name: str) -> None:
    """Raises the error of Spark's file tables for a duplicate column."""
    if child_of(schema, name) is not None:
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(name.lower()))


def check_new_field(schema: StructType, parent: ColumnPath, name: str, operation: str) -> None:
    holder = find_field(schema, parent).dataType if parent else schema
    if child_of(holder, name) is not None:
        raise SparkError(
            "FIELD_ALREADY_EXISTS", op=operation, fieldNames=quote_path((*parent, name)), struct=f'"{sql_name(schema)}"'
        )


def quote_path(path: ColumnPath) -> str:
    return ".".join(quote_identifier(part) for part in path)
