"""Catalogs, schemas, tables and other metadata, as the commands of Flight SQL list them."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from twinspark.doors.flight.session import FlightSession
from twinspark.doors.flight.sql_info import SQL_INFO_SCHEMA, sql_info
from twinspark.doors.thrift.metadata import TYPE_INFO, Lister
from twinspark.types.arrow import arrow_schema
from twinspark.wire.thrift.messages import Message

TEXT = pa.string()


def column(name: str, kind: pa.DataType = TEXT) -> pa.Field:
    """A column without nulls."""
    return pa.field(name, kind, nullable=False)


CATALOGS = pa.schema([column("catalog_name")])
SCHEMAS = pa.schema([("catalog_name", TEXT), column("db_schema_name")])
TABLES = pa.schema([("catalog_name", TEXT), ("db_schema_name", TEXT), column("table_name"), column("table_type")])
TABLE_SCHEMA = column("table_schema", pa.binary())
TABLE_TYPES = pa.schema([column("table_type")])
PRIMARY_KEYS = pa.schema([
    ("catalog_name", TEXT), ("db_schema_name", TEXT), column("table_name"), column("column_name"),
    column("key_sequence", pa.int32()), ("key_name", TEXT),
])  # fmt: skip
FOREIGN_KEYS = pa.schema([
    ("pk_catalog_name", TEXT), ("pk_db_schema_name", TEXT), column("pk_table_name"), column("pk_column_name"),
    ("fk_catalog_name", TEXT), ("fk_db_schema_name", TEXT), column("fk_table_name"), column("fk_column_name"),
    column("key_sequence", pa.int32()), ("fk_key_name", TEXT), ("pk_key_name", TEXT),
    column("update_rule", pa.uint8()), column("delete_rule", pa.uint8()),
])  # fmt: skip
TYPES = pa.schema([
    column("type_name"), column("data_type", pa.int32()), ("column_size", pa.int32()), ("literal_prefix", TEXT),
    ("literal_suffix", TEXT), ("create_params", pa.list_(column("item"))), column("nullable", pa.int32()),
    column("case_sensitive", pa.bool_()), column("searchable", pa.int32()), ("unsigned_attribute", pa.bool_()),
    column("fixed_prec_scale", pa.bool_()), ("auto_increment", pa.bool_()), ("local_type_name", TEXT),
    ("minimum_scale", pa.int32()), ("maximum_scale", pa.int32()), column("sql_data_type", pa.int32()),
    ("datetime_subcode", pa.int32()), ("num_prec_radix", pa.int32()), ("interval_precision", pa.int32()),
])  # fmt: skip
Row = tuple[Any, ...]
Rows = Iterator[Row]


def catalog_names(session: FlightSession, command: Any) -> list[str]:
    """All catalogs, or the requested one; the empty name requests what is in no catalog."""
    if hasattr(command, "catalog") and command.HasField("catalog"):
        return [command.catalog] if command.catalog else []
    return [str(row[0]) for row in lister(session).ask("SHOW CATALOGS")]


def lister(session: FlightSession, **request: Any) -> Lister:
    found: Message = {key: value for key, value in request.items() if value is not None}
    return Lister(session, found, catalogs=True)


def pattern_of(command: Any, field: str) -> str | None:
    return str(getattr(command, field)) if command.HasField(field) else None


def catalogs(session: FlightSession, command: Any) -> Rows:
    yield from ((name,) for name in sorted(catalog_names(session, command)))


def schemas(session: FlightSession, command: Any) -> Rows:
    wanted = pattern_of(command, "db_schema_filter_pattern")
    for catalog in sorted(catalog_names(session, command)):
        found = lister(session, catalogName=catalog, schemaName=wanted).matching_schemas()
        yield from ((catalog, name) for name in found)


def tables(session: FlightSession, command: Any) -> Rows:
    """Sorted as Flight SQL requires; a view of the session has no schema, and the catalog that it shadows."""
    kinds = list(command.table_types) or ["TABLE", "VIEW"]
    found = [row for row in listed_tables(session, command) if row[3] in kinds]
    for row in sorted(found, key=lambda row: [text or "" for text in row]):
        yield (*row, table_schema(session, row)) if command.include_schema else row


def listed_tables(session: FlightSession, command: Any) -> Iterator[tuple[str, str | None, str, str]]:
    current = str(lister(session).ask("SELECT current_catalog()")[0][0])
    for catalog in catalog_names(session, command):
        listing = lister(
            session,
            catalogName=catalog,
            schemaName=pattern_of(command, "db_schema_filter_pattern"),
            tableName=pattern_of(command, "table_name_filter_pattern"),
        )
        for schema, name, kind in listing.listed_tables():
            if schema in listing.matching_schemas() or catalog == current:
                yield catalog, schema, name, kind


def table_schema(session: FlightSession, row: tuple[str, str | None, str, str]) -> bytes:
    catalog, schema, name, _ = row
    found = lister(session, catalogName=catalog).table_schema(schema, name)
    return bytes(arrow_schema(found, session.time_zone()).serialize().to_pybytes())


def table_types(session: FlightSession, command: Any) -> Rows:
    yield from (("TABLE",), ("VIEW",))


def types(session: FlightSession, command: Any) -> Rows:
    for name, code, precision, sensitive, searchable, unsigned, radix in TYPE_INFO:
        if not command.HasField("data_type") or command.data_type == code:
            yield (
                name, code, precision, None, None, None, 1, sensitive, searchable, unsigned, False, False, None, 0, 0,
                code, None, radix, None,
            )  # fmt: skip


def nothing(session: FlightSession, command: Any) -> Rows:
    """Spark has no declared keys."""
    yield from ()


LISTINGS: dict[str, tuple[pa.Schema, Callable[[FlightSession, Any], Rows]]] = {
    "CommandGetCatalogs": (CATALOGS, catalogs),
    "CommandGetDbSchemas": (SCHEMAS, schemas),
    "CommandGetTables": (TABLES, tables),
    "CommandGetTableTypes": (TABLE_TYPES, table_types),
    "CommandGetPrimaryKeys": (PRIMARY_KEYS, nothing),
    "CommandGetExportedKeys": (FOREIGN_KEYS, nothing),
    "CommandGetImportedKeys": (FOREIGN_KEYS, nothing),
    "CommandGetCrossReference": (FOREIGN_KEYS, nothing),
    "CommandGetXdbcTypeInfo": (TYPES, types),
}


def is_listing(command: Any) -> bool:
    return name_of(command) in LISTINGS or name_of(command) == "CommandGetSqlInfo"


def name_of(command: Any) -> str:
    return str(command.DESCRIPTOR.name)


def listing_schema(command: Any) -> pa.Schema:
    if name_of(command) == "CommandGetSqlInfo":
        return SQL_INFO_SCHEMA
    schema = LISTINGS[name_of(command)][0]
    is_wide = name_of(command) == "CommandGetTables" and command.include_schema
    return schema.append(TABLE_SCHEMA) if is_wide else schema


def listing(command: Any, session: FlightSession) -> pa.RecordBatch:
    if name_of(command) == "CommandGetSqlInfo":
        return sql_info(list(command.info))
    schema = listing_schema(command)
    rows = list(LISTINGS[name_of(command)][1](session, command))
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, kind) for values, kind in zip(columns, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
