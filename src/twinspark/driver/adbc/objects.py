"""ADBC's GetInfo and GetObjects: metadata of a server in the Arrow schemas of ADBC's specification."""

import ctypes
from importlib.metadata import version
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from twinspark.driver.connection import Connection

DEPTH_ALL, DEPTH_CATALOGS, DEPTH_SCHEMAS, DEPTH_TABLES = range(4)
TABLE_TYPES = pa.schema([pa.field("table_type", pa.string(), nullable=False)])
USAGE = pa.struct([
    ("fk_catalog", pa.string()), ("fk_db_schema", pa.string()), pa.field("fk_table", pa.string(), nullable=False),
    pa.field("fk_column_name", pa.string(), nullable=False),
])  # fmt: skip
CONSTRAINT = pa.struct([
    ("constraint_name", pa.string()), pa.field("constraint_type", pa.string(), nullable=False),
    pa.field("constraint_column_names", pa.list_(pa.string()), nullable=False),
    ("constraint_column_usage", pa.list_(USAGE)),
])  # fmt: skip
COLUMN = pa.struct([
    pa.field("column_name", pa.string(), nullable=False), ("ordinal_position", pa.int32()), ("remarks", pa.string()),
    ("xdbc_data_type", pa.int16()), ("xdbc_type_name", pa.string()), ("xdbc_column_size", pa.int32()),
    ("xdbc_decimal_digits", pa.int16()), ("xdbc_num_prec_radix", pa.int16()), ("xdbc_nullable", pa.int16()),
    ("xdbc_column_def", pa.string()), ("xdbc_sql_data_type", pa.int16()), ("xdbc_datetime_sub", pa.int16()),
    ("xdbc_char_octet_length", pa.int32()), ("xdbc_is_nullable", pa.string()), ("xdbc_scope_catalog", pa.string()),
    ("xdbc_scope_schema", pa.string()), ("xdbc_scope_table", pa.string()), ("xdbc_is_autoincrement", pa.bool_()),
    ("xdbc_is_generatedcolumn", pa.bool_()),
])  # fmt: skip
TABLE = pa.struct([
    pa.field("table_name", pa.string(), nullable=False), pa.field("table_type", pa.string(), nullable=False),
    ("table_columns", pa.list_(COLUMN)), ("table_constraints", pa.list_(CONSTRAINT)),
])  # fmt: skip
SCHEMA = pa.struct([("db_schema_name", pa.string()), ("db_schema_tables", pa.list_(TABLE))])
OBJECTS = pa.schema([("catalog_name", pa.string()), ("catalog_db_schemas", pa.list_(SCHEMA))])
# The members of GetInfo's union, in the order of its type codes.
INFO_MEMBERS = [
    pa.field("string_value", pa.string()), pa.field("bool_value", pa.bool_()), pa.field("int64_value", pa.int64()),
    pa.field("int32_bitmask", pa.int32()), pa.field("string_list", pa.list_(pa.string())),
    pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
]  # fmt: skip
ADBC_1_1 = 1_001_000


class Filters(NamedTuple):
    """LIKE patterns; None matches everything. An empty catalog or schema matches those without a name."""

    catalog: str | None
    schema: str | None
    table: str | None
    types: list[str] | None
    column: str | None


def move(address: int, data: bytes) -> None:
    ctypes.memmove(address, data, len(data))


def export(table: pa.Table, stream: int) -> None:
    table.to_reader()._export_to_c(stream)


def texts_of(texts: Any) -> list[str] | None:
    """Reads a C array of strings that ends with a null pointer."""
    if not texts:
        return None
    found: list[str] = []
    while texts[len(found)] is not None:
        found.append(texts[len(found)].decode())
    return found


def info(connection: Connection, wanted: list[int]) -> pa.Table:
    known = {
        0: connection.information(17), 1: connection.information(18), 100: "twinspark ADBC driver",
        101: version("twinspark"), 102: f"v{pa.__version__}", 103: ADBC_1_1, 3: True, 4: False,
    }  # fmt: skip
    codes = [code for code in (wanted or known) if code in known]
    values = [known[code] for code in codes]
    kinds = [1 if isinstance(value, bool) else 2 if isinstance(value, int) else 0 for value in values]
    members = [[value for value, kind in zip(values, kinds, strict=True) if kind == at] for at in range(6)]
    offsets = [kinds[:index].count(kind) for index, kind in enumerate(kinds)]
    union = pa.UnionArray.from_dense(
        pa.array(kinds, pa.int8()), pa.array(offsets, pa.int32()),
        [pa.array(member, field.type) for member, field in zip(members, INFO_MEMBERS, strict=True)],
        [field.name for field in INFO_MEMBERS],
    )  # fmt: skip
    schema = pa.schema([pa.field("info_name", pa.uint32(), nullable=False), pa.field("info_value", union.type)])
    return pa.Table.from_arrays([pa.array(codes, pa.uint32()), union], schema=schema)


def tree(connection: Connection, depth: int, filters: Filters) -> pa.Table:
    """Catalogs with schemas with tables with columns, down to the requested depth."""
    names = [row[0] for row in connection.cursor().list_metadata("GetCatalogs").fetchall()] or [""]
    rows = []
    for name in matching(names, filters.catalog):
        inside = None if depth == DEPTH_CATALOGS else schemas(connection, depth, filters, name)
        rows.append({"catalog_name": name, "catalog_db_schemas": inside})
    return pa.Table.from_pylist(rows, OBJECTS)


def matching(names: list[str], pattern: str | None) -> list[str]:
    if pattern is None:
        return names
    return [name for name in names if pc.match_like(pa.scalar(name), pattern).as_py()]


def schemas(connection: Connection, depth: int, filters: Filters, catalog: str) -> list[dict[str, Any]]:
    listed = connection.cursor().list_metadata("GetSchemas", catalogName=catalog or None).fetchall()
    names = matching([row[0] for row in listed], filters.schema)
    if depth == DEPTH_SCHEMAS:
        return [{"db_schema_name": name, "db_schema_tables": None} for name in names]
    found = tables(connection, filters, catalog)
    inside = columns(connection, filters, catalog) if depth == DEPTH_ALL else None
    return [
        {"db_schema_name": name, "db_schema_tables": [table(row, inside) for row in found if (row[1] or "") == name]}
        for name in ([*names, ""] if any(not row[1] for row in found) else names)
    ]


def tables(connection: Connection, filters: Filters, catalog: str) -> list[tuple[Any, ...]]:
    given = {"catalogName": catalog or None, "schemaName": filters.schema, "tableName": filters.table}
    return connection.cursor().list_metadata("GetTables", **given, tableTypes=filters.types).fetchall()


def columns(connection: Connection, filters: Filters, catalog: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The columns by schema and table."""
    given = {"catalogName": catalog or None, "schemaName": filters.schema, "tableName": filters.table}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in connection.cursor().list_metadata("GetColumns", **given, columnName=filters.column).fetchall():
        found.setdefault((row[1] or "", row[2]), []).append(column(row))
    return found


def column(row: tuple[Any, ...]) -> dict[str, Any]:
    (_, _, _, name, data_type, type_name, size, _, digits, radix, nullable, remarks, default, sql_type, datetime_sub,
     octets, position, is_nullable, scope_catalog, scope_schema, scope_table, _, increments) = row  # fmt: skip
    return {
        "column_name": name, "ordinal_position": position, "remarks": remarks, "xdbc_data_type": data_type,
        "xdbc_type_name": type_name, "xdbc_column_size": size, "xdbc_decimal_digits": digits,
        "xdbc_num_prec_radix": radix, "xdbc_nullable": nullable, "xdbc_column_def": default,
        "xdbc_sql_data_type": sql_type, "xdbc_datetime_sub": datetime_sub, "xdbc_char_octet_length": octets,
        "xdbc_is_nullable": is_nullable, "xdbc_scope_catalog": scope_catalog, "xdbc_scope_schema": scope_schema,
        "xdbc_scope_table": scope_table, "xdbc_is_autoincrement": increments == "YES", "xdbc_is_generatedcolumn": None,
    }  # fmt: skip


def table(row: tuple[Any, ...], inside: dict[tuple[str, str], list[dict[str, Any]]] | None) -> dict[str, Any]:
    named = {"table_name": row[2], "table_type": row[3]}
    if inside is None:
        return named
    return {**named, "table_columns": inside.get((row[1] or "", row[2]), []), "table_constraints": []}
