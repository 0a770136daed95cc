"""Schema evolution of files: renamed, promoted, missing and nested fields, as SQL that converts a file's columns."""

from dataclasses import dataclass

from pyspark.sql.types import DataType

from twinspark.tables.column_types import column_type
from twinspark.types.duckdb import duck_name


@dataclass(frozen=True)
class Same:
    """The value is unchanged."""


@dataclass(frozen=True)
class Cast:
    """The value is cast to a wider type."""

    type: DataType


@dataclass(frozen=True)
class Instant:
    """A DuckDB timestamp without zone that is in UTC (Parquet's INT96)."""


@dataclass(frozen=True)
class Nanoseconds:
    """A timestamp in nanoseconds without zone that is in UTC (ORC's)."""


@dataclass(frozen=True)
class Microseconds:
    """A TIMESTAMP_NTZ stored as a number (Spark's in ORC)."""


@dataclass(frozen=True)
class Missing:
    """A column that the file does not have."""

    type: DataType
    default: str | None = None


@dataclass(frozen=True)
class Elements:
    element: "Reshape"


@dataclass(frozen=True)
class Entries:
    key: "Reshape"
    value: "Reshape"


@dataclass(frozen=True)
class Field:
    """One field of the result: its name, its name in the file (None when missing), and its conversion."""

    name: str
    source: str | None
    reshape: "Reshape"


@dataclass(frozen=True)
class Fields:
    fields: tuple[Field, ...]


Reshape = Same | Cast | Instant | Nanoseconds | Microseconds | Missing | Elements | Entries | Fields


def simplify(reshape: Reshape, unchanged_names: bool = True) -> Reshape:
    """`Same` for a nested value without changes, so that scans keep their column statistics."""
    match reshape:
        case Elements(Same()) | Entries(Same(), Same()):
            return Same()
        case Fields(fields) if unchanged_names and all(f.reshape == Same() and f.name == f.source for f in fields):
            return Same()
    return reshape


def duck_value(reshape: Reshape, value: str, depth: int = 0) -> str:
    """The DuckDB expression that converts `value`."""
    match reshape:
        case Same():
            return value
        case Cast(type):
            return f"CAST({value} AS {column_type(type)})"
        case Instant():
            return f"make_timestamptz(epoch_us({value}))"
        case Nanoseconds():
            held = f"epoch_ns({value})"
            return f"make_timestamptz(({held} - (({held} % 1000) + 1000) % 1000) // 1000)"
        case Microseconds():
            return f"make_timestamp({value})"
        case Missing(type, default):
            return f"CAST({default if default is not None else 'NULL'} AS {column_type(type)})"
        case Elements(element):
            return f"list_transform({value}, lambda e{depth}: {duck_value(element, f'e{depth}', depth + 1)})"
        case Entries(key, item):
            return duck_entries(key, item, value, depth)
        case Fields(fields):
            packed = ", ".join(f"{duck_name(f.name)} := {duck_field(f, value, depth)}" for f in fields)
            # struct_pack of a NULL struct would be a struct of NULLs.
            return f"CASE WHEN {value} IS NULL THEN NULL ELSE struct_pack({packed}) END"


def duck_entries(key: Reshape, item: Reshape, value: str, depth: int) -> str:
    entry = f"e{depth}"
    changed = (
        f"struct_pack(k := {duck_value(key, f'{entry}.key', depth + 1)}, "
        f"v := {duck_value(item, f'{entry}.value', depth + 1)})"
    )
    entries = f"map_from_entries(list_transform(map_entries({value}), lambda {entry}: {changed}))"
    return f"CASE WHEN {value} IS NULL THEN NULL ELSE {entries} END"


def duck_field(field: Field, parent: str, depth: int) -> str:
    source = "NULL" if field.source is None else f"{parent}.{duck_name(field.source)}"
    return duck_value(field.reshape, source, depth)


def duck_select(fields: tuple[Field, ...], source: str, extra: str = "") -> str:
    """`SELECT … FROM source`, one column per field, then `extra`."""
    columns = [
        f"{duck_value(f.reshape, 'NULL' if f.source is None else duck_name(f.source))} AS {duck_name(f.name)}"
        for f in fields
    ]
    return f"SELECT {', '.join(columns)}{extra} FROM {source}"
