"""Writes Spark's types, identifiers and strings in DuckDB's SQL, and rewrites values inside nested values."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    UserDefinedType,
    VariantType,
    YearMonthIntervalType,
)

from twinspark.errors import NotNative, reasons
from twinspark.types.nested import has_variant

NAMES: dict[type, str] = {
    ByteType: "TINYINT",
    ShortType: "SMALLINT",
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    FloatType: "FLOAT",
    DoubleType: "DOUBLE",
    StringType: "VARCHAR",
    BinaryType: "BLOB",
    BooleanType: "BOOLEAN",
    DateType: "DATE",
    TimestampType: "TIMESTAMPTZ",
    TimestampNTZType: "TIMESTAMP",
    DayTimeIntervalType: "BIGINT",  # microseconds: DuckDB's INTERVAL has separate months and days
    YearMonthIntervalType: "INTEGER",  # months
    TimeType: "BIGINT",  # nanoseconds of the day
    NullType: '"NULL"',
    VariantType: 'STRUCT("value" BLOB, metadata BLOB)',  # the two byte arrays of Spark's VariantVal
}


@lru_cache(4096)
def duck_type(type: DataType) -> str:
    """`ARRAY<STRUCT<a: INT>>` -> `STRUCT("a" INTEGER)[]`."""
    if isinstance(type, DecimalType):
        return f"DECIMAL({type.precision},{type.scale})"
    if isinstance(type, ArrayType):
        return f"{duck_type(type.elementType)}[]"
    if isinstance(type, MapType):
        if has_variant(type.keyType):
            raise NotNative(reasons.TYPE_UNSUPPORTED, "a map whose keys contain variants")
        return f"MAP({duck_type(type.keyType)}, {duck_type(type.valueType)})"
    if isinstance(type, StructType):
        return duck_struct(type)
    if isinstance(type, UserDefinedType):
        return duck_type(type.sqlType())
    if type.__class__ not in NAMES:
        raise NotNative(reasons.TYPE_UNSUPPORTED, type.simpleString())
    return NAMES[type.__class__]


def duck_struct(type: StructType) -> str:
    check_field_names(type)
    return "STRUCT(" + ", ".join(f"{duck_name(f.name)} {duck_type(f.dataType)}" for f in type.fields) + ")"


def check_field_names(type: StructType) -> None:
    names = [field.name.lower() for field in type.fields]
    if not names or len(set(names)) < len(names) or "" in names:
        raise NotNative(
            reasons.TYPE_UNSUPPORTED, "a struct with no fields, or with field names that differ only in case"
        )


def duck_name(name: str) -> str:
    """The name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def duck_text(value: str) -> str:
    """The string as a VARCHAR literal."""
    if "\0" in value:
        raise NotNative(reasons.LITERAL, "a string with a NUL character")
    return "'" + value.replace("'", "''") + "'"


def duck_texts(values: Iterable[str]) -> str:
    """The strings as a literal list of VARCHARs."""
    return "[" + ", ".join(map(duck_text, values)) + "]"


def cast_to(sql: str, type: DataType) -> str:
    return f"CAST({sql} AS {duck_type(type)})"


# ---- values inside values


@dataclass(frozen=True)
class ValueRewriter:
    """Rewrites the leaves of nested values in SQL; the SQL of a type with nothing to rewrite does not change."""

    leaf: Callable[[str, DataType], str]
    needed: Callable[[DataType], bool]
    variable: str  # prefix of the lambda parameters' names, followed by a number; the values must not use these names
    keys: bool = True  # whether the keys of maps are rewritten too

    def rewrite(self, sql: str, type: DataType, depth: int = 0) -> str:
        if not self.needed(type):
            return sql
        match type:
            case ArrayType():
                return self.rewrite_elements(sql, type.elementType, depth)
            case MapType():
                return self.rewrite_map(sql, type, depth)
            case StructType():
                return self.rewrite_struct(sql, type, depth)
        return self.leaf(sql, type)

    def rewrite_elements(self, sql: str, element: DataType, depth: int) -> str:
        if not self.needed(element):
            return sql
        name = f"{self.variable}{depth}_"
        return f"list_transform({sql}, lambda {name}: {self.rewrite(name, element, depth + 1)})"

    def rewrite_map(self, sql: str, type: MapType, depth: int) -> str:
        keys = self.rewrite_elements(f"map_keys({sql})", type.keyType, depth) if self.keys else f"map_keys({sql})"
        values = self.rewrite_elements(f"map_values({sql})", type.valueType, depth)
        return f"(CASE WHEN {sql} IS NOT NULL THEN MAP({keys}, {values}) END)"

    def rewrite_struct(self, sql: str, type: StructType, depth: int) -> str:
        """The CASE is needed because struct_pack of a NULL struct would be a struct of NULLs."""
        check_field_names(type)
        parts = [f"{duck_name(f.name)} := {self.rewrite_field(sql, f.name, f.dataType, depth)}" for f in type.fields]
        return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"

    def rewrite_field(self, sql: str, name: str, type: DataType, depth: int) -> str:
        return self.rewrite(f"({sql}).{duck_name(name)}", type, depth)
