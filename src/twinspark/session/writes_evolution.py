"""Schema evolution in writes: the table takes on the columns, and the wider types, that the rows bring."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, alike
from twinspark.errors import NotNative, SparkError
from twinspark.session.tables_session import tables_of
from twinspark.session.tables_targets import Target
from twinspark.tables import AddColumn, TableChange, UpdateColumn
from twinspark.tables.file_table import FileTable
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


def evolved(target: Target, frame: Frame, by_name: bool, context: Context) -> Target:
    """The table as it is when it has room for the rows: Spark changes it before anything is written, and by itself."""
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
        raise target.refuses("INSERT WITH SCHEMA EVOLUTION")


def is_asked(options: Mapping[str, str], target: Target) -> bool:
    """Iceberg's own option, which counts where the table is told to take what comes."""
    told = {key.lower(): value.lower() for key, value in options.items()}
    merges = "true" in (told.get("mergeschema"), told.get("merge-schema"))
    is_open = isinstance(target.table, IcebergTable) and target.table.table.properties.get(ANY_SCHEMA) == "true"
    return merges and is_open


class Evolution:
    """What a table lacks for some rows; fields are matched by name or by place, in structs too, as Spark's rule
    ResolveSchemaEvolution has it."""

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
                    raise NotNative("schema evolution between a plain type and one with parts")
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
    """What Iceberg can make of a column; other types are cast when they are written, or refused then."""
    match have, new:
        case IntegerType(), LongType():
            return True
        case FloatType(), DoubleType():
            return True
        case DecimalType(), DecimalType():
            return bool(have.scale == new.scale and have.precision < new.precision)
    return False
