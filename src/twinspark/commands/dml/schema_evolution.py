"""Schema evolution in writes: the table gets the new columns and wider types of the written rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, alike
from twinspark.commands.ddl.targets import Target
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.sessions.tables import tables_of
from twinspark.tables import AddColumn, TableChange, UpdateColumn
from twinspark.tables.files.table import FileTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.types import (
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StructField,
    StructType,
    as_nullable,
    is_null,
    same_type,
)

Path = tuple[str, ...]
ANY_SCHEMA = "write.spark.accept-any-schema"


def evolve_table(target: Target, frame: Frame, by_name: bool, context: Context) -> Target:
    """The table after its schema was changed for the rows: Spark commits that change separately, before writing."""
    check_evolves(target)
    source = frame.plain().schema
    changes = list(Evolution(by_name, context).changes(target.table.schema, source, ()))
    if not changes:
        return target
    target.catalog.alter_table(target.name.identifier, changes)
    tables_of(context).relations.forget(target.name)
    return replace(target, table=target.catalog.load_table(target.name.identifier))


def check_evolves(target: Target) -> None:
    if isinstance(target.table, FileTable):
        raise SparkError("UNSUPPORTED_INSERT_WITH_SCHEMA_EVOLUTION")
    if not isinstance(target.table, IcebergTable):
        raise target.unsupported_error("INSERT WITH SCHEMA EVOLUTION")


def is_requested(options: Mapping[str, str], target: Target) -> bool:
    """Iceberg's write option, which takes effect if the table has write.spark.accept-any-schema."""
    by_lower_case = {key.lower(): value.lower() for key, value in options.items()}
    merges = "true" in (by_lower_case.get("mergeschema"), by_lower_case.get("merge-schema"))
    is_open = isinstance(target.table, IcebergTable) and target.table.table.properties.get(ANY_SCHEMA) == "true"
    return merges and is_open


class Evolution:
    """The changes that a table needs for some rows; fields are matched by name or by position, in structs too, as in
    Spark's rule ResolveSchemaEvolution."""

    def __init__(self, by_name: bool, context: Context) -> None:
        self.by_name = by_name
        self.same = alike(context.settings.case_sensitive)

    def changes(self, have: DataType, new: DataType, path: Path) -> Iterator[TableChange]:
        match have, new:
            case StructType(), StructType():
                yield from self.fields(have.fields, new.fields, path)
            case ArrayType(), ArrayType():
                yield from self.changes(have.elementType, new.elementType, (*path, "element"))
            case MapType(), MapType():
                yield from self.changes(have.keyType, new.keyType, (*path, "key"))
                yield from self.changes(have.valueType, new.valueType, (*path, "value"))
            case (StructType() | ArrayType() | MapType(), _) | (_, StructType() | ArrayType() | MapType()):
                if not is_null(new):
                    raise NotNative(reasons.WRITE_COLUMNS, "schema evolution between an atomic and a nested type")
            case _ if not same_type(have, new) and widens(have, new):
                yield UpdateColumn(path, new)

    def fields(self, have: Sequence[StructField], new: Sequence[StructField], path: Path) -> Iterator[TableChange]:
        pairs = self.pairs(have, new)
        for old, field in pairs:
            yield from self.changes(old.dataType, field.dataType, (*path, old.name))
        known = {id(field) for _, field in pairs}
        for field in new:
            if id(field) not in known:
                yield AddColumn(path, field.name, as_nullable(field.dataType))

    def pairs(self, have: Sequence[StructField], new: Sequence[StructField]) -> list[tuple[StructField, StructField]]:
        if not self.by_name:
            return list(zip(have, new, strict=False))
        return [(old, field) for old in have for field in new if self.same(old.name, field.name)]


def widens(have: DataType, new: DataType) -> bool:
    """The types that Iceberg can widen; other types are cast when they are written, or rejected then."""
    match have, new:
        case IntegerType(), LongType():
            return True
        case FloatType(), DoubleType():
            return True
        case DecimalType(), DecimalType():
            return bool(have.scale == new.scale and have.precision < new.precision)
    return False
