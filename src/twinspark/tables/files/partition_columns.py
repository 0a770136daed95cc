"""Partition columns found in directory names, with the types Spark infers for their values."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from twinspark.errors import NotNative, reasons
from twinspark.tables.column_types import column_type
from twinspark.tables.files.listing import LeafFile, Listing, is_data
from twinspark.types.duckdb import duck_name

DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"
INTEGER = re.compile(r"[+-]?\d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
# The patterns yyyy-MM-dd HH:mm:ss[.S] and HH:mm:ss[.S] of PartitioningUtils, and years of more digits.
TIME = re.compile(r"([+-]?\d{4,}-\d\d-\d\d )?\d\d:\d\d:\d\d(\.\d+)?")
FAR_DATE = re.compile(r"([+-]\d{4,}|\d{5,}|0000)-\d\d-\d\d")
# Java's Double.parseDouble also accepts these; hexadecimal floats and spaces around numbers fall back to Spark.
FLOAT_WORDS = {"NaN", "Infinity", "+Infinity", "-Infinity"}
MAY_BE_NUMBER = re.compile(r"^\s|\s$|^[+-]?0[xX]")
ESCAPED = re.compile(r"%([0-9a-fA-F]{2})")
TO_ESCAPE = re.compile(r"[\x01-\x1f\x7f\"#%'*/:=?\\{\[\]^]")


@dataclass(frozen=True)
class Partitioning:
    """The partition columns of a listing and the files with values for them."""

    schema: StructType
    files: tuple[LeafFile, ...]
    directory_names: tuple[str, ...] = ()

    @property
    def sources(self) -> dict[str, str]:
        """Column name -> its name in the directories (they may differ in case)."""
        return dict(zip(self.schema.names, self.directory_names, strict=True))


def partition_folder(values: Mapping[str, str | None]) -> str:
    """The directory of a partition; a null and an empty string share the default one."""
    return "/".join(f"{escape(name)}={escape(value or DEFAULT_PARTITION)}" for name, value in values.items())


def unescape(text: str) -> str:
    """ExternalCatalogUtils.unescapePathName."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def escape(text: str) -> str:
    """ExternalCatalogUtils.escapePathName: characters that are not allowed in a directory name become %XX."""
    return TO_ESCAPE.sub(lambda found: f"%{ord(found[0]):02X}", text)


def discover(
    listing: Listing, user: StructType | None, *, infer_types: bool = True, case_sensitive: bool = False
) -> Partitioning:
    """The partition columns in the directory names between base paths and files."""
    if listing.recursive:
        return Partitioning(StructType([]), listing.leaves)
    found = {leaf.directory: directory_values(leaf.directory, listing.base_paths) for leaf in data_files(listing)}
    if not any(found.values()):
        return Partitioning(StructType([]), listing.direct())
    check_regular(found, listing)
    fields = [
        partition_field(column, values, user, infer_types, case_sensitive) for column, values in columns_of(found)
    ]
    return Partitioning(StructType(fields), listing.leaves, tuple(column for column, _ in columns_of(found)))


def data_files(listing: Listing) -> Iterable[LeafFile]:
    return (leaf for leaf in listing.leaves if is_data(leaf.name))


def directory_values(directory: str, base_paths: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The k=v components from the base path down to this directory."""
    parts: list[tuple[str, str]] = []
    while directory not in base_paths and directory != "/":
        name = os.path.basename(directory)
        if "=" not in name:
            break_inside_partitions(directory, base_paths, bool(parts))
        else:
            column, _, value = name.partition("=")
            parts.append((column, value))
        directory = os.path.dirname(directory)
    return tuple(reversed(parts))


def break_inside_partitions(directory: str, base_paths: frozenset[str], inside: bool) -> None:
    """A directory without k=v between those with it ends Spark's discovery early; such layouts fall back."""
    if inside or any("=" in part for part in below(directory, base_paths)):
        raise NotNative(
            reasons.FILE_PARTITION_DIRECTORIES,
            f"partition directories beside other files at {os.path.basename(directory)}",
        )


def below(directory: str, base_paths: frozenset[str]) -> list[str]:
    base = next((base for base in base_paths if directory.startswith(base + "/")), "")
    return directory[len(base) + 1 :].split("/")


def check_regular(found: Mapping[str, tuple[tuple[str, str], ...]], listing: Listing) -> None:
    """Layouts that Spark rejects, or reads in an irregular way, fall back to Spark, which raises its exact errors."""
    shapes = {tuple(name for name, _ in parts) for parts in found.values()}
    if len(shapes) != 1:
        raise NotNative(reasons.FILE_PARTITION_DIRECTORIES, "directories with different partition columns")
    if any(name == "" or value == "" or "%" in name for parts in found.values() for name, value in parts):
        raise NotNative(reasons.FILE_PARTITION_DIRECTORIES, "empty or escaped column names")
    if any("=" in base for base in listing.base_paths):
        raise NotNative(reasons.FILE_PARTITION_DIRECTORIES, "a base path that looks like a partition directory")
    if len(listing.base_paths) != 1:
        raise NotNative(reasons.FILE_PARTITION_DIRECTORIES, "several base paths")
    if any("=" in leaf.name for leaf in listing.leaves):
        raise NotNative(reasons.FILE_PARTITION_DIRECTORIES, "data files with an equals sign in their names")


def columns_of(found: Mapping[str, tuple[tuple[str, str], ...]]) -> list[tuple[str, list[str]]]:
    names = [name for name, _ in next(iter(found.values()))]
    return [(name, [parts[at][1] for parts in found.values()]) for at, name in enumerate(names)]


def partition_field(
    column: str, values: Sequence[str], user: StructType | None, infer_types: bool, case_sensitive: bool
) -> StructField:
    given = user_field(column, user, case_sensitive)
    if given is not None:
        return StructField(given.name, checked_user_type(given.dataType, values), True)
    inferred = [infer(value, infer_types) for value in set(values)]
    return StructField(column, reduce(wider, inferred), True)


def user_field(column: str, user: StructType | None, case_sensitive: bool) -> StructField | None:
    for field in user.fields if user is not None else []:
        if field.name == column or (not case_sensitive and field.name.lower() == column.lower()):
            return field
    return None


def checked_user_type(type: DataType, values: Sequence[str]) -> DataType:
    """Checks that Java and DuckDB cast the values alike; others fall back to Spark."""
    patterns: dict[type[DataType], re.Pattern[str]] = {
        ByteType: INTEGER,
        ShortType: INTEGER,
        IntegerType: INTEGER,
        LongType: INTEGER,
        DateType: DATE,
        DoubleType: re.compile(r"-?\d+(\.\d+)?"),
        FloatType: re.compile(r"-?\d+(\.\d+)?"),
        BooleanType: re.compile("true|false"),
        StringType: re.compile(".*", re.DOTALL),
    }
    pattern = patterns.get(type.__class__)
    if pattern is None or not all(value == DEFAULT_PARTITION or pattern.fullmatch(value) for value in values):
        raise NotNative(reasons.FILE_PARTITION_VALUES, type.simpleString())
    return type


def infer(raw: str, infer_types: bool) -> DataType:
    """PartitioningUtils.inferPartitionColumnValue, in its order: int, long, decimal, double, time, date, string."""
    if raw == DEFAULT_PARTITION:
        return NullType()
    if not infer_types:
        return StringType()
    if INTEGER.fullmatch(raw) and raw.isascii():
        return integral_type(raw)
    if NUMBER.fullmatch(raw) and raw.isascii():
        return fractional_type(raw)
    return text_type(raw)


def integral_type(raw: str) -> DataType:
    number = int(raw)
    if -(2**31) <= number < 2**31:
        return IntegerType()
    if -(2**63) <= number < 2**63:
        return LongType()
    digits = len(str(abs(number)))
    return DecimalType(digits, 0) if digits <= 38 else DoubleType()


def fractional_type(raw: str) -> DataType:
    # 1e3 has a negative scale and becomes a decimal in Spark; such values fall back.
    if re.search("[eEfFdD]", raw):
        raise NotNative(reasons.FILE_PARTITION_VALUES, "numbers written as 1e3 or 1.0f")
    return DoubleType()


def text_type(raw: str) -> DataType:
    if MAY_BE_NUMBER.search(raw) or raw in FLOAT_WORDS or INTEGER.fullmatch(raw):  # also digits of other scripts
        raise NotNative(reasons.FILE_PARTITION_VALUES, "texts that Java may read as numbers")
    if TIME.fullmatch(unescape(raw)) or FAR_DATE.fullmatch(raw):
        raise NotNative(reasons.FILE_PARTITION_VALUES, "texts that look like timestamps")
    return date_or_string(raw) if DATE.fullmatch(raw) else StringType()


def date_or_string(raw: str) -> DataType:
    year, month, day = (int(part) for part in raw.split("-"))
    lengths = [31, 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28, 31, 30]
    lengths += [31, 30, 31, 31, 30, 31, 30, 31]
    valid = 1 <= month <= 12 and 1 <= day <= lengths[month - 1] and year > 0
    return DateType() if valid else StringType()


def wider(left: DataType, right: DataType) -> DataType:
    """PartitioningUtils.findWiderTypeForPartitionColumn over the types that `infer` returns."""
    if left == right or isinstance(right, NullType):
        return left
    if isinstance(left, NullType):
        return right
    kinds = {left.__class__, right.__class__}
    if kinds == {IntegerType, LongType}:
        return LongType()
    if kinds == {IntegerType, DoubleType}:
        return DoubleType()
    if DecimalType in kinds and kinds <= {IntegerType, LongType, DecimalType}:
        raise NotNative(reasons.FILE_PARTITION_VALUES, "numbers beyond 64 bits")
    return StringType()


def merged_schema(data: StructType, partitions: StructType, case_sensitive: bool) -> StructType:
    """Data columns first; one that is also a partition column keeps its position and gets the partition's type."""

    def key(name: str) -> str:
        return name if case_sensitive else name.lower()

    overlapping = {key(field.name): field for field in partitions.fields}
    present = {key(field.name) for field in data.fields}
    merged = [overlapping.get(key(field.name), field) for field in data.fields]
    return StructType(merged + [field for field in partitions.fields if key(field.name) not in present])


def hive_arguments(partitioning: Partitioning) -> str:
    """Arguments for DuckDB's readers to read partition values from directory names."""
    if not partitioning.directory_names:
        return "hive_partitioning=false"
    fields = zip(partitioning.directory_names, partitioning.schema.fields, strict=True)
    types = ", ".join(f"{duck_name(name)}: {hive_type(field.dataType)}" for name, field in fields)
    return f"hive_partitioning=true, hive_types={{{types}}}"


def hive_type(type: DataType) -> str:
    """Types that `hive_types` does not support are read as strings and cast by the projection."""
    return "VARCHAR" if isinstance(type, DecimalType | NullType) else column_type(type)
