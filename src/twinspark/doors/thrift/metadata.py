"""GetTables, GetColumns and other metadata operations: the same columns and rows as Spark's own Thrift server."""

import itertools
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t

from twinspark.doors.thrift.backend import BackendError, BackendSession
from twinspark.doors.thrift.results import Rows
from twinspark.types import quote_identifier, sql_name
from twinspark.types.arrow import arrow_type
from twinspark.types.text import TypeTextError, parse_reported_type
from twinspark.wire.thrift.messages import Message

Row = tuple[Any, ...]
GLOBAL_TEMP = "global_temp"
NOT_SUPPORTED = "0A000"
LOG = logging.getLogger(__name__)
# Name and Spark type of each listing's columns, as recorded from Spark 4.2.1.
SCHEMAS = {
    "GetTypeInfo": "TYPE_NAME string, DATA_TYPE int, PRECISION int, LITERAL_PREFIX string, LITERAL_SUFFIX string, "
    "CREATE_PARAMS string, NULLABLE smallint, CASE_SENSITIVE boolean, SEARCHABLE smallint, UNSIGNED_ATTRIBUTE boolean, "
    "FIXED_PREC_SCALE boolean, AUTO_INCREMENT boolean, LOCAL_TYPE_NAME string, MINIMUM_SCALE smallint, "
    "MAXIMUM_SCALE smallint, SQL_DATA_TYPE int, SQL_DATETIME_SUB int, NUM_PREC_RADIX int",
    "GetCatalogs": "TABLE_CAT string",
    "GetSchemas": "TABLE_SCHEM string, TABLE_CATALOG string",
    "GetTables": "TABLE_CAT string, TABLE_SCHEM string, TABLE_NAME string, TABLE_TYPE string, REMARKS string, "
    "TYPE_CAT string, TYPE_SCHEM string, TYPE_NAME string, SELF_REFERENCING_COL_NAME string, REF_GENERATION string",
    "GetTableTypes": "TABLE_TYPE string",
    "GetColumns": "TABLE_CAT string, TABLE_SCHEM string, TABLE_NAME string, COLUMN_NAME string, DATA_TYPE int, "
    "TYPE_NAME string, COLUMN_SIZE int, BUFFER_LENGTH tinyint, DECIMAL_DIGITS int, NUM_PREC_RADIX int, NULLABLE int, "
    "REMARKS string, COLUMN_DEF string, SQL_DATA_TYPE int, SQL_DATETIME_SUB int, CHAR_OCTET_LENGTH int, "
    "ORDINAL_POSITION int, IS_NULLABLE string, SCOPE_CATALOG string, SCOPE_SCHEMA string, SCOPE_TABLE string, "
    "SOURCE_DATA_TYPE smallint, IS_AUTO_INCREMENT string",
    "GetFunctions": "FUNCTION_CAT string, FUNCTION_SCHEM string, FUNCTION_NAME string, REMARKS string, "
    "FUNCTION_TYPE int, SPECIFIC_NAME string",
    "GetPrimaryKeys": "TABLE_CAT string, TABLE_SCHEM string, TABLE_NAME string, COLUMN_NAME string, KEY_SEQ int, "
    "PK_NAME string",
    "GetCrossReference": "PKTABLE_CAT string, PKTABLE_SCHEM string, PKTABLE_NAME string, PKCOLUMN_NAME string, "
    "FKTABLE_CAT string, FKTABLE_SCHEM string, FKTABLE_NAME string, FKCOLUMN_NAME string, KEY_SEQ int, "
    "UPDATE_RULE int, DELETE_RULE int, FK_NAME string, PK_NAME string, DEFERRABILITY int",
}
# Type name, java.sql.Types code, precision, case sensitive, searchable, unsigned, radix.
TYPE_INFO: list[tuple[str, int, int | None, bool, int, bool, int | None]] = [
    ("VOID", 0, None, False, 3, True, None),
    ("BOOLEAN", 16, None, False, 3, True, None),
    ("STRING", 12, None, True, 3, True, None),
    ("BINARY", -2, None, False, 3, True, None),
    ("TINYINT", -6, 3, False, 3, False, 10),
    ("SMALLINT", 5, 5, False, 3, False, 10),
    ("INT", 4, 10, False, 3, False, 10),
    ("BIGINT", -5, 19, False, 3, False, 10),
    ("FLOAT", 6, 7, False, 3, False, 10),
    ("DOUBLE", 8, 15, False, 3, False, 10),
    ("DECIMAL", 3, 38, False, 3, False, 10),
    ("DATE", 91, None, False, 3, True, None),
    ("TIMESTAMP", 93, None, False, 3, True, None),
    ("ARRAY", 2003, None, False, 0, True, None),
    ("MAP", 2000, None, False, 0, True, None),
    ("STRUCT", 2002, None, False, 0, True, None),
    ("CHAR", 1, None, False, 3, True, None),
    ("VARCHAR", 12, None, False, 3, True, None),
    ("INTERVAL_YEAR_MONTH", 1111, None, False, 3, True, None),
    ("INTERVAL_DAY_TIME", 1111, None, False, 3, True, None),
]


class Lister:
    """Computes one listing by SQL in the session."""

    def __init__(self, session: BackendSession, request: Message, catalogs: bool) -> None:
        self.session, self.request, self.lists_catalogs = session, request, catalogs

    def ask(self, sql: str) -> list[Row]:
        statement = self.session.execute(self.session.prepare(), sql)
        return [row for batch in statement.batches for row in zip(*map(pa.Array.to_pylist, batch.columns), strict=True)]

    def type_info(self) -> Iterable[Row]:
        for name, code, precision, sensitive, searchable, unsigned, radix in TYPE_INFO:
            fixed: Row = (None, None, None, 1, sensitive, searchable, unsigned, False, False, None, 0, 0, None, None)
            yield name, code, precision, *fixed, radix

    def catalogs(self) -> Iterable[Row]:
        """Spark's own server lists none; clients that can use several catalogs get them."""
        return self.ask("SHOW CATALOGS") if self.lists_catalogs else []

    def matching_schemas(self) -> list[str]:
        catalog = self.request.get("catalogName")
        inside = f" IN {quote_identifier(catalog)}" if catalog and self.lists_catalogs else ""
        wanted = matcher(self.request.get("schemaName") or "%")
        return sorted(row[0] for row in self.ask(f"SHOW SCHEMAS{inside}") if wanted(row[0]) and row[0] != GLOBAL_TEMP)

    def qualify(self, *parts: str) -> str:
        catalog = self.request.get("catalogName")
        return ".".join(map(quote_identifier, [catalog, *parts] if catalog and self.lists_catalogs else parts))

    def schemas(self) -> Iterable[Row]:
        catalog = (self.request.get("catalogName") or "") if self.lists_catalogs else ""
        yield from ((name, catalog) for name in self.matching_schemas())
        if matcher(self.request.get("schemaName") or "%")(GLOBAL_TEMP):
            yield GLOBAL_TEMP, catalog

    def listed_tables(self) -> Iterator[tuple[str | None, str, str]]:
        """Schema (None for a temporary view), name, and TABLE or VIEW."""
        wanted = matcher(self.request.get("tableName") or "%")
        for schema in self.matching_schemas():
            views = self.views_in(schema)
            for _, name, temporary, *_ in self.ask(f"SHOW TABLES IN {self.qualify(schema)}"):
                if not temporary and wanted(name):
                    yield schema, name, "VIEW" if name in views else "TABLE"
        yield from self.temporary_views(wanted)

    def views_in(self, schema: str) -> set[str]:
        try:
            return {row[1] for row in self.ask(f"SHOW VIEWS IN {self.qualify(schema)}") if not row[2]}
        except BackendError as error:
            if error.sqlstate != NOT_SUPPORTED:  # a catalog may have tables and no views
                raise
            return set()

    def temporary_views(self, wanted: Callable[[str], bool]) -> Iterator[tuple[str | None, str, str]]:
        """Local temporary views are listed for every requested schema, as by Spark's server."""
        shared = matcher(self.request.get("schemaName") or "%")(GLOBAL_TEMP)
        for schema, name, temporary, *_ in self.ask(f"SHOW VIEWS IN {GLOBAL_TEMP}"):
            if temporary and wanted(name) and (shared or not schema):
                yield schema or None, name, "VIEW"

    def tables(self) -> Iterable[Row]:
        kinds = self.request.get("tableTypes") or ["TABLE", "VIEW"]
        for schema, name, kind in self.listed_tables():
            if kind in kinds:
                remarks = self.comment(schema, name) if schema not in (None, GLOBAL_TEMP) else ""
                yield self.catalog_label(), schema, name, kind, remarks, None, None, None, None, None

    def catalog_label(self) -> str:
        return str(self.request.get("catalogName") or "") if self.lists_catalogs else ""

    def comment(self, schema: str | None, name: str) -> str:
        rows = self.describe(f"EXTENDED {self.qualify(schema or '', name)}")
        details = rows[next((i for i, row in enumerate(rows) if row[0] == "# Detailed Table Information"), len(rows)) :]
        return next((str(row[1]) for row in details if row[0] == "Comment"), "")

    def table_types(self) -> Iterable[Row]:
        return [("TABLE",), ("VIEW",)]

    def columns(self) -> Iterable[Row]:
        wanted = matcher(self.request.get("columnName") or "%")
        for schema, name, _ in self.listed_tables():
            found = enumerate(raw_schema(self.table_schema(schema, name)).fields, 1)
            yield from (self.column(schema, name, field, at) for at, field in found if wanted(field.name))

    def table_schema(self, schema: str | None, name: str) -> t.StructType:
        """By analysis; a view whose tables are missing still has the columns it was created with."""
        place = self.qualify(schema, name) if schema not in (None, GLOBAL_TEMP) else temporary_name(schema, name)
        try:
            return self.session.describe(f"SELECT * FROM {place}")
        except BackendError as error:
            LOG.info("%s cannot be read (%s)", place, error)
            return stored_schema(self.describe(place))

    def describe(self, place: str) -> list[Row]:
        """Empty for a table that was dropped since it was listed, or that cannot be described."""
        try:
            return self.ask(f"DESCRIBE TABLE {place}")
        except BackendError as error:
            LOG.info("%s cannot be described (%s)", place, error)
            return []

    def column(self, schema: str | None, table: str, field: t.StructField, position: int) -> Row:
        kind, comment = field.dataType, (field.metadata or {}).get("comment", "")
        radix = 10 if isinstance(kind, t.NumericType) else None
        return (
            self.catalog_label() or None, schema, table, field.name, java_type(kind), sql_name(kind), column_size(kind),
            None, decimal_digits(kind), radix, int(field.nullable), comment, None, None, None, None, position,
            "YES" if field.nullable else "NO", None, None, None, None, "NO",
        )  # fmt: skip

    def functions(self) -> Iterable[Row]:
        wanted = matcher(self.request.get("functionName") or "%")
        names = [row[0] for row in self.ask("SHOW FUNCTIONS") if wanted(row[0])]
        described = {name: self.function(name) for name in names} if len(names) <= FEW else {}
        for schema in self.matching_schemas():
            for name in names:
                remarks, place = described.get(name, ("", ""))
                yield "", schema, name, remarks, 0, place

    def function(self, name: str) -> tuple[str, str]:
        lines = [row[0] for row in self.ask(f"DESCRIBE FUNCTION EXTENDED {quote_identifier(name)}")]
        place = next((line.removeprefix("Class: ") for line in lines if line.startswith("Class: ")), "")
        usage = next((line for line in lines if line.startswith("Usage: ")), "")
        extended = next((line for line in lines if line.startswith("Extended Usage:")), "")
        return f"{usage}\n{extended}", place

    def nothing(self) -> Iterable[Row]:
        """Spark has no declared keys."""
        return []


FEW = 20  # at most so many functions are described one by one: describing six hundred takes too long
LISTERS: dict[str, Callable[[Lister], Iterable[Row]]] = {
    "GetTypeInfo": Lister.type_info,
    "GetCatalogs": Lister.catalogs,
    "GetSchemas": Lister.schemas,
    "GetTables": Lister.tables,
    "GetTableTypes": Lister.table_types,
    "GetColumns": Lister.columns,
    "GetFunctions": Lister.functions,
    "GetPrimaryKeys": Lister.nothing,
    "GetCrossReference": Lister.nothing,
}


def listing(method: str, session: BackendSession, request: Message, catalogs: bool) -> Rows:
    schema = schema_of(method)
    rows = list(LISTERS[method](Lister(session, request, catalogs)))
    kinds = [arrow_type(field.dataType) for field in schema.fields]
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
    batch = pa.RecordBatch.from_arrays(arrays, names=schema.names)
    return Rows(schema, batch.schema, iter([batch]))


def schema_of(method: str) -> t.StructType:
    pairs = [column.split(" ") for column in SCHEMAS[method].split(", ")]
    return t.StructType([t.StructField(name, parse_reported_type(kind)) for name, kind in pairs])


def temporary_name(schema: str | None, name: str) -> str:
    return f"{schema}.{quote_identifier(name)}" if schema else quote_identifier(name)


def stored_schema(rows: list[Row]) -> t.StructType:
    """The columns of DESCRIBE TABLE, which end where its other sections begin."""
    columns = list(itertools.takewhile(lambda row: row[0] and not row[0].startswith("#"), rows))
    return t.StructType([t.StructField(row[0], stored_type(row[1]), True, comment_of(row[2])) for row in columns])


def stored_type(name: str) -> t.DataType:
    """Spark shortens the names of wide structs (`... 3 more fields`)."""
    try:
        return parse_reported_type(name)
    except TypeTextError:
        return t.StructType([]) if name.startswith("struct<") else t.StringType()


def comment_of(text: str | None) -> dict[str, Any]:
    return {"comment": text} if text else {}


def matcher(pattern: str) -> Callable[[str], bool]:
    r"""A JDBC search pattern as Spark reads it: % and * match any characters, _ one, \ escapes the next one.

    The rest is a regular expression: impyla sends `.*` for everything.
    """
    pieces = re.findall(r"\\(.)|(%|\*)|(_)|(.)", pattern, re.DOTALL)
    regex = "".join(".*" if many else "." if one else re.escape(kept) or other for kept, many, one, other in pieces)
    try:
        compiled = re.compile(regex, re.IGNORECASE | re.DOTALL)
    except re.error:
        compiled = re.compile(re.escape(pattern), re.IGNORECASE)
    return lambda name: compiled.fullmatch(name) is not None


def raw_schema(schema: t.StructType) -> t.StructType:
    """CHAR and VARCHAR columns are sent as strings with their declared type in the metadata."""
    return t.StructType([raw_field(field) for field in schema.fields])


def raw_field(field: t.StructField) -> t.StructField:
    declared = (field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING")
    kind = parse_reported_type(declared) if declared else field.dataType
    return t.StructField(field.name, kind, field.nullable, field.metadata)


# java.sql.Types; types for which Spark's server raises an error (variant, time) are OTHER here.
JAVA_TYPES: list[tuple[type[t.DataType], int]] = [
    (t.NullType, 0),
    (t.BooleanType, 16),
    (t.ByteType, -6),
    (t.ShortType, 5),
    (t.IntegerType, 4),
    (t.LongType, -5),
    (t.FloatType, 6),
    (t.DoubleType, 8),
    (t.DecimalType, 3),
    (t.CharType, 1),
    (t.StringType, 12),
    (t.VarcharType, 12),
    (t.BinaryType, -2),
    (t.DateType, 91),
    (t.TimestampType, 93),
    (t.TimestampNTZType, 93),
    (t.ArrayType, 2003),
    (t.MapType, 2000),
    (t.StructType, 2002),
]
SIZES: list[tuple[type[t.DataType], int]] = [
    (t.NullType, 1),
    (t.BooleanType, 1),
    (t.ByteType, 1),
    (t.ShortType, 2),
    (t.IntegerType, 4),
    (t.FloatType, 4),
    (t.DateType, 4),
    (t.YearMonthIntervalType, 4),
    (t.LongType, 8),
    (t.DoubleType, 8),
    (t.TimestampType, 8),
    (t.TimestampNTZType, 8),
    (t.DayTimeIntervalType, 8),
    (t.CalendarIntervalType, 16),
]


def java_type(kind: t.DataType) -> int:
    return next((code for known, code in JAVA_TYPES if isinstance(kind, known)), 1111)


def column_size(kind: t.DataType) -> int | None:
    """Bytes of a fixed-size type; of a struct if all its fields have one."""
    if isinstance(kind, t.DecimalType):
        return 8 if kind.precision <= 18 else 16
    if isinstance(kind, t.CharType):
        return int(kind.length)
    if isinstance(kind, t.StructType):
        sizes = [column_size(field.dataType) for field in kind.fields]
        return None if None in sizes else sum(size for size in sizes if size is not None)
    return next((size for known, size in SIZES if isinstance(kind, known)), None)


def decimal_digits(kind: t.DataType) -> int | None:
    if isinstance(kind, t.DecimalType):
        return int(kind.scale)
    digits = {t.BooleanType: 0, t.IntegerType: 0, t.FloatType: 7, t.DoubleType: 15, t.TimestampType: 6}
    return digits.get(type(kind), 6 if isinstance(kind, t.TimestampNTZType) else None)
