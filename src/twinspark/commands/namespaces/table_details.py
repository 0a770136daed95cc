"""The output of DESCRIBE EXTENDED, SHOW TABLE EXTENDED and SHOW PARTITIONS for tables of files."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from twinspark.commands.names import CatalogEntry, quoted
from twinspark.commands.namespaces.redaction import redact
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.release import SPARK_VERSION
from twinspark.sessions.services import Services
from twinspark.types import StructField, StructType, quote_if_needed

if TYPE_CHECKING:
    from twinspark.tables.files.table import FileTable

Detail = tuple[str, str]


def file_table(found: CatalogEntry) -> "FileTable | None":
    """The table, if it is a table of files; Iceberg and Delta tables have their own descriptions."""
    from twinspark.tables.files.table import FileTable

    return found.table if isinstance(found.table, FileTable) else None


def column_statistics(found: Any, column: str, services: Services) -> Mapping[str, str]:
    """The statistics of a column by ANALYZE, by the names of DESCRIBE."""
    if not isinstance(found, CatalogEntry) or file_table(found) is None:
        return {}
    known = services.catalogs.get(found.name.catalog).details(found.name.identifier).table
    return known.columns.get(column, {}) if known is not None else {}


def details(found: CatalogEntry, table: "FileTable", services: Services) -> list[Detail]:
    """In the order of CatalogTable.toLinkedHashMap."""
    identifier = found.name.identifier
    hidden = ("comment", "owner", "provider")
    properties = redact({k: v for k, v in table.properties.items() if k not in hidden and not k.startswith("option.")})
    rows = [("Catalog", found.name.catalog), ("Database", identifier.namespace[-1]), ("Table", identifier.name)]
    rows += [
        ("Created Time", creation_time(table)),
        ("Last Access", "UNKNOWN"),
        ("Created By", f"Spark {SPARK_VERSION}"),
        ("Type", "MANAGED" if table.managed else "EXTERNAL"),
        ("Provider", table.properties.get("provider", table.provider)),
    ]
    rows += [("Comment", table.properties["comment"])] if "comment" in table.properties else []
    shown = ", ".join(f"{key}={value}" for key, value in sorted(properties.items()))
    rows += [("Table Properties", f"[{shown}]")] if properties else []
    counted = services.catalogs.get(found.name.catalog).details(identifier).table
    rows += [("Statistics", counted.of_table)] if counted is not None else []
    rows.append(("Location", place(table)))
    stored = ", ".join(f"{key}={value}" for key, value in redact(table.options).items())
    rows += [("Storage Properties", f"[{stored}]")] if stored else []
    return rows + ([("Partition Provider", "Catalog")] if table.partitioning else [])


def catalog_details(found: CatalogEntry) -> list[Detail]:
    """The output of SHOW TABLE EXTENDED for a table of a v2 catalog (ShowTablesExtendedExec)."""
    from twinspark.tables.describe import RESERVED, all_properties, plain

    table: Any = found.table
    identifier, properties = found.name.identifier, all_properties(table)
    namespace = ".".join(map(quote_if_needed, identifier.namespace))
    rows = [("Catalog", found.name.catalog), ("Namespace", namespace), ("Table", identifier.name)]
    rows.append(("Type", "EXTERNAL" if "external" in properties else "MANAGED"))
    rows += [(key.capitalize(), properties[key]) for key in RESERVED if key in properties and key != "external"]
    shown = f"[{','.join(f'{key}={value}' for key, value in redact(dict(plain(properties))).items())}]"
    # Spark joins the characters of a string that is joined already.
    return [*rows, ("Table Properties", f"[{', '.join(shown)}]")]


def place(table: "FileTable") -> str:
    """One slash after the scheme, as Hadoop writes a local path."""
    path = table.location.removeprefix("file:").lstrip("/")
    return f"file:/{path}" if "://" not in path else table.location


def local_path(table: "FileTable") -> str:
    if "://" in table.location and not table.location.startswith("file:"):
        raise NotNative(reasons.FILE_SYSTEM, "a table whose files are not on this machine")
    return "/" + table.location.removeprefix("file:").lstrip("/")


def creation_time(table: "FileTable") -> str:
    path = local_path(table)
    # tables of earlier versions have no creation time
    changed = os.stat(path).st_ctime if os.path.exists(path) else 0.0
    moment = datetime.fromtimestamp(changed if table.created is None else table.created, UTC)
    return f"{moment:%a %b %d %H:%M:%S} UTC {moment:%Y}"


def as_created(table: Any) -> Any:
    """For SHOW CREATE TABLE: tables of files do not store NOT NULL, a path is a location, secrets are masked."""
    fields = [StructField(f.name, f.dataType, True, f.metadata) for f in table.schema.fields]
    options = {key: value for key, value in table.options.items() if key.lower() != "path"}
    return replace(
        table,
        schema=StructType(fields),
        options=redact(options),
        properties=redact({k: v for k, v in table.properties.items() if k.lower() != "option.path"}),
        location=place(table),
        managed=table.managed and len(options) == len(table.options),
    )


def declared_type(field: StructField) -> str:
    return str((field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING") or field.dataType.simpleString())


def default_rows(schema: StructType) -> list[tuple[str, str, str]]:
    """The defaults of columns, under one heading."""
    properties = [(f, (f.metadata or {}).get("CURRENT_DEFAULT")) for f in schema.fields]
    rows = [(f.name, declared_type(f), str(default)) for f, default in properties if default is not None]
    return [("", "", ""), ("# Column Default Values", "", ""), *rows] if rows else []


# ---- partitions


def partitions(found: CatalogEntry, wanted: Sequence[tuple[str, Any]] = ()) -> list[str]:
    """`p=1/q=x` as in directory names; `wanted` are values that must match."""
    table = file_table(found)
    if table is None:
        name = quoted(found.name.qualifier)
        raise SparkError("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", name=name)
    names = table.partition_names
    if not names:
        raise SparkError("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", name=quoted(found.name.qualifier))
    return [path for path in table.partition_paths if all(f"{key}={value}" in path.split("/") for key, value in wanted)]


def check_partitioned(found: CatalogEntry, operation: str) -> None:
    """Raises an error unless the table is a partitioned table of files."""
    table = file_table(found)
    if table is None:
        raise NotNative(reasons.SQL_STATEMENT, "MSCK REPAIR TABLE of a table that is not a table of files")
    if not table.partitioning:
        name = quoted(found.name.qualifier)
        raise SparkError("NOT_A_PARTITIONED_TABLE", operation=operation, tableIdentWithDB=name)
