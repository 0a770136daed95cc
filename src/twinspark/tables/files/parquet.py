"""Reads Parquet files as Spark does: infers the schema, and scans with DuckDB in Spark's types."""

from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)

from twinspark.errors import NotNative, reasons
from twinspark.functions.strings.collations import uncollated_type
from twinspark.tables.column_types import column_type
from twinspark.tables.files.listing import LeafFile
from twinspark.tables.files.parquet_footer import Footer, Node, footers_of, list_element, map_entry, type_of
from twinspark.tables.files.partition_columns import Partitioning, hive_arguments, merged_schema
from twinspark.tables.files.scan import (
    FileScan,
    Request,
    check_options,
    data_schema,
    file_scan,
    largest_first,
    merges,
    nullable_schema,
    partition_casts,
)
from twinspark.tables.reshape import (
    Cast,
    Elements,
    Entries,
    Field,
    Fields,
    Instant,
    Missing,
    Reshape,
    Same,
    duck_select,
    simplify,
)
from twinspark.types import nested_types, same_type, stored_type
from twinspark.types.duckdb import duck_texts

# The lossless conversions of Spark's vectorized reader, by the type in the file.
WIDENING: Mapping[type[DataType], tuple[type[DataType], ...]] = {
    ByteType: (ShortType, IntegerType, LongType),
    ShortType: (IntegerType, LongType),
    IntegerType: (LongType, DoubleType),
    FloatType: (DoubleType,),
}


def scan(request: Request) -> FileScan:
    check_options(request, {"mergeschema"})
    context = request.context
    groups = footers_of(request.files, context.connection)
    data = data_schema(request, lambda: found_schema(request, groups))
    whole = merged_schema(data, request.partitioning.schema, context.case_sensitive)
    scans = scan_groups(groups, whole, request.partitioning, context.case_sensitive)
    place = request.file_column if len(scans) == 1 or context.metadata_column is not None else ""
    selects = [duck_select(fields, read_parquet(files, request), place) for fields, files in scans]
    return file_scan(request, whole, " UNION ALL ".join(selects))


def found_schema(request: Request, groups: Mapping[Footer, Sequence[LeafFile]]) -> StructType | None:
    merge = merges(request, "spark.sql.parquet.mergeSchema")
    if any(leaf.name.startswith(("_metadata", "_common_metadata")) for leaf in request.partitioning.files):
        raise NotNative(reasons.PARQUET_LAYOUT, "summary files")
    return inferred_schema(groups, merge) if groups else None


def read_parquet(files: Sequence[str], request: Request) -> str:
    return f"read_parquet({duck_texts(files)}, {hive_arguments(request.partitioning)})"


def inferred_schema(footers: Iterable[Footer], merge: bool) -> StructType:
    """The first file's schema; with mergeSchema the union of all, if no column has two types."""
    schemas = [nullable_schema(footer.schema) for footer in footers]
    if not merge:
        return schemas[0]
    fields = {field.name: field for field in schemas[0].fields}
    for field in (field for schema in schemas[1:] for field in schema.fields):
        if not same_type(fields.setdefault(field.name, field).dataType, field.dataType):
            raise NotNative(reasons.FILE_SCHEMA_MISMATCH, f"the column {field.name}")
    return StructType(list(fields.values()))


def scan_groups(
    groups: Mapping[Footer, Sequence[LeafFile]], wanted: StructType, partitions: Partitioning, case_sensitive: bool
) -> list[tuple[tuple[Field, ...], list[str]]]:
    """For each footer the conversion of its columns and its files; files with equal conversions share one scan."""
    merged: dict[tuple[Field, ...], list[LeafFile]] = {}
    for footer, files in groups.items():
        check_calendar(footer)
        fields = tuple(
            directory_column(field, partitions) or column(field, footer.root, case_sensitive) for field in wanted.fields
        )
        merged.setdefault(fields, []).extend(files)
    return [(fields, [leaf.path for leaf in largest_first(files)]) for fields, files in merged.items()]


def check_calendar(footer: Footer) -> None:
    dated = (DateType, TimestampType, TimestampNTZType)
    if footer.rebased and any(isinstance(type, dated) for type in nested_types(footer.schema)):
        raise NotNative(reasons.FILE_OLD_CALENDAR, "Parquet files of Spark 2")


def directory_column(field: StructField, partitioning: Partitioning) -> Field | None:
    source = partitioning.sources.get(field.name)
    return (source and Field(field.name, source, partition_casts(partitioning.schema)[field.name])) or None


def column(field: StructField, parent: Node, case_sensitive: bool) -> Field:
    child = child_named(field.name, parent, case_sensitive)
    if child is None:
        return Field(field.name, None, Missing(field.dataType))
    return Field(field.name, child.name, reshape_of(child, field.dataType, case_sensitive))


def child_named(name: str, parent: Node, case_sensitive: bool) -> Node | None:
    alike = parent.by_name.get(name.lower(), [])
    if len(alike) > 1:
        raise NotNative(reasons.FILE_COLUMN_NAMES, f"Parquet columns that differ from {name} only in case")
    if alike and case_sensitive and alike[0].name != name:
        return None
    return alike[0] if alike else None


def reshape_of(node: Node, wanted: DataType, case_sensitive: bool) -> Reshape:
    """How a file's value becomes the required type, where Spark converts it in the same way."""
    held, wanted = type_of(node), stored_type(wanted)
    match wanted:
        case ArrayType() if isinstance(held, ArrayType):
            element = reshape_of(list_element(node), wanted.elementType, case_sensitive)
            return simplify(Elements(element))
        case MapType() if isinstance(held, MapType):
            key, value = map_entry(node)
            return simplify(
                Entries(
                    reshape_of(key, wanted.keyType, case_sensitive), reshape_of(value, wanted.valueType, case_sensitive)
                )
            )
        case StructType() if isinstance(held, StructType):
            return reshape_struct(node, wanted, case_sensitive)
    return reshape_primitive(node, held, wanted)


def reshape_struct(node: Node, wanted: StructType, case_sensitive: bool) -> Reshape:
    fields = tuple(column(field, node, case_sensitive) for field in wanted.fields)
    if all(field.source is None for field in fields):
        # If the file has none of its fields, Spark cannot distinguish a null struct from one of nulls.
        raise NotNative(reasons.FILE_SCHEMA_MISMATCH, "a struct none of whose fields are in the file")
    return simplify(Fields(fields), unchanged_names=len(fields) == len(node.children))


def reshape_primitive(node: Node, held: DataType, wanted: DataType) -> Reshape:
    wanted = uncollated_type(wanted)
    if node.physical == "INT96" and isinstance(wanted, TimestampType):
        return Instant()
    if isinstance(wanted, DayTimeIntervalType) and isinstance(held, LongType):
        return Same()
    if isinstance(wanted, YearMonthIntervalType) and isinstance(held, IntegerType):
        return Same()
    if held != wanted and not isinstance(wanted, WIDENING.get(held.__class__, ())):
        raise NotNative(
            reasons.FILE_SCHEMA_MISMATCH, f"{held.simpleString()} in a Parquet file read as {wanted.simpleString()}"
        )
    return Same() if node.duck == column_type(wanted) else Cast(wanted)
