"""What DESCRIBE EXTENDED, SHOW TABLE EXTENDED and SHOW PARTITIONS say of tables of files: Spark's own kind of table."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.version import __version__ as spark_version

from twinspark.errors import NotNative, SparkError
from twinspark.session.sql_names import Found, quoted
from twinspark.session.sql_redaction import redacted
from twinspark.types import StructField, StructType, quote_if_needed

if TYPE_CHECKING:
    from twinspark.session.session import Session
    from twinspark.tables.file_table import FileTable

Detail = tuple[str, str]


def file_table(found: Found) -> "FileTable | None":
    """The table, if it is one of files; Iceberg's and Delta's describe themselves."""
    from twinspark.tables.file_table import FileTable

    return found.table if isinstance(found.table, FileTable) else None


def column_statistics(found: Any, column: str, session: "Session") -> Mapping[str, str]:
    """What ANALYZE found in a column, by the names of DESCRIBE."""
    if not isinstance(found, Found) or file_table(found) is None:
        return {}
    known = session.catalogs.get(found.name.catalog).details(found.name.identifier).table
    return known.columns.get(column, {}) if known is not None else {}


def details(found: Found, table: "FileTable", session: "Session") -> list[Detail]:
    """In the order of CatalogTable.toLinkedHashMap."""
    identifier = found.name.identifier
    hidden = ("comment", "owner", "provider")
    told = redacted({k: v for k, v in table.properties.items() if k not in hidden and not k.startswith("option.")})
    rows = [("Catalog", found.name.catalog), ("Database", identifier.namespace[-1]), ("Table", identifier.name)]
    rows += [
        ("Created Time", created(table)),
        ("Last Access", "UNKNOWN"),
        ("Created By", f"Spark {spark_version}"),
        ("Type", "MANAGED" if table.managed else "EXTERNAL"),
        ("Provider", table.properties.get("provider", table.provider)),
    ]
    rows += [("Comment", table.properties["comment"])] if "comment" in table.properties else []
    shown = ", ".join(f"{key}={value}" for key, value in sorted(told.items()))
    rows += [("Table Properties", f"[{shown}]")] if told else []
    counted = session.catalogs.get(found.name.catalog).details(identifier).table
    rows += [("Statistics", counted.of_table)] if counted is not None else []
    rows.append(("Location", place(table)))
    stored = ", ".join(f"{key}={value}" for key, value in redacted(table.options).items())
    rows += [("Storage Properties", f"[{stored}]")] if stored else []
    return rows + ([("Partition Provider", "Catalog")] if table.partitioning else [])


def catalog_details(found: Found) -> list[Detail]:
    """What SHOW TABLE EXTENDED tells of a table of a v2 catalog (ShowTablesExtendedExec)."""
    from twinspark.tables.describe import RESERVED, plain, told_properties

    table: Any = found.table
    identifier, told = found.name.identifier, told_properties(table)
    namespace = ".".join(map(quote_if_needed, identifier.namespace))
    rows = [("Catalog", found.name.catalog), ("Namespace", namespace), ("Table", identifier.name)]
    rows.append(("Type", "EXTERNAL" if "external" in told else "MANAGED"))
    rows += [(key.capitalize(), told[key]) for key in RESERVED if key in told and key != "external"]
    shown = f"[{','.join(f'{key}={value}' for key, value in redacted(dict(plain(told))).items())}]"
    # Spark joins the letters of a text that is joined already.
    return [*rows, ("Table Properties", f"[{', '.join(shown)}]")]


def place(table: "FileTable") -> str:
    """One slash behind the scheme, as Hadoop writes a local path."""
    path = table.location.removeprefix("file:").lstrip("/")
    return f"file:/{path}" if "://" not in path else table.location


def local_path(table: "FileTable") -> str:
    if "://" in table.location and not table.location.startswith("file:"):
        raise NotNative("a table of files that are not on this machine")
    return "/" + table.location.removeprefix("file:").lstrip("/")


def created(table: "FileTable") -> str:
    path = local_path(table)
    changed = os.stat(path).st_ctime if os.path.exists(path) else 0.0  # all that is known of tables of earlier versions
    moment = datetime.fromtimestamp(changed if table.created is None else table.created, UTC)
    return f"{moment:%a %b %d %H:%M:%S} UTC {moment:%Y}"


def as_created(table: Any) -> Any:
    """For SHOW CREATE TABLE: tables of files do not keep NOT NULL, a path is a location, secrets are stars."""
    fields = [StructField(f.name, f.dataType, True, f.metadata) for f in table.schema.fields]
    options = {key: value for key, value in table.options.items() if key.lower() != "path"}
    return replace(
        table,
        schema=StructType(fields),
        options=redacted(options),
        properties=redacted({k: v for k, v in table.properties.items() if k.lower() != "option.path"}),
        location=place(table),
        managed=table.managed and len(options) == len(table.options),
    )


def declared_type(field: StructField) -> str:
    return str((field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING") or field.dataType.simpleString())


def default_rows(schema: StructType) -> list[tuple[str, str, str]]:
    """The defaults of columns, under one heading."""
    told = [(f, (f.metadata or {}).get("CURRENT_DEFAULT")) for f in schema.fields]
    rows = [(f.name, declared_type(f), str(default)) for f, default in told if default is not None]
    return [("", "", ""), ("# Column Default Values", "", ""), *rows] if rows else []


# ---- partitions


def partitions(found: Found, wanted: Sequence[tuple[str, Any]] = ()) -> list[str]:
    """`p=1/q=x` as the directories are called; `wanted` are values that must be there."""
    table = file_table(found)
    if table is None:
        name = quoted(found.name.qualifier)
        raise SparkError("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", name=name)
    names = table.partition_names
    if not names:
        raise SparkError("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", name=quoted(found.name.qualifier))
    return [path for path in table.partition_paths if all(f"{key}={value}" in path.split("/") for key, value in wanted)]


def check_partitioned(found: Found, operation: str) -> None:
    """Only tables of files that are partitioned have partitions to find."""
    table = file_table(found)
    if table is None:
        raise NotNative("partitions repaired of a table that is not one of files")
    if not table.partitioning:
        name = quoted(found.name.qualifier)
        raise SparkError("NOT_A_PARTITIONED_TABLE", operation=operation, tableIdentWithDB=name)
