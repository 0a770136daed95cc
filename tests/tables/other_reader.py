"""Every Iceberg table that a test leaves is read by another implementation too, where its Python is named by
TWINSPARK_TEST_ICEBERG_READER: rows must be the same. `make tables-reader` does that, and counts them."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
from pyiceberg.manifest import DataFileContent, FileFormat, ManifestContent
from pyspark.sql.types import DayTimeIntervalType, YearMonthIntervalType

from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.sqlite_catalog import local
from twinspark.tables.scan_sql import duck_scan
from twinspark.types import nested_types

READER = os.environ.get("TWINSPARK_TEST_ICEBERG_READER")
COUNTS = os.environ.get("TWINSPARK_TEST_ICEBERG_READER_COUNTS")
# What Iceberg has no type for is kept as a number, which is all that another reader sees.
OURS_ALONE = (DayTimeIntervalType, YearMonthIntervalType)
OLD_ROWS = "twinspark.exists."


@cache
def reader() -> Any:
    script = str(Path(__file__).parent / "independent_reader.py")
    pipe = subprocess.PIPE
    return subprocess.Popen([str(READER), script], stdin=pipe, stdout=pipe, text=True)


def their_rows(catalog: IcebergCatalog, identifier: Identifier) -> Any:
    process = reader()
    process.stdin.write(f"{local(catalog.load(identifier).metadata_location)}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def our_rows(catalog: IcebergCatalog, duck: Any, identifier: Identifier) -> list[str]:
    scan = duck_scan(catalog.load_table(identifier).scan())
    found = duck.execute(f"SELECT CAST(to_json(t) AS VARCHAR) FROM {scan} t").fetchall()
    return sorted(text for (text,) in found)


def check(catalog: IcebergCatalog, identifier: Identifier, duck: Any) -> int:
    """The rows of one table, by both; how many there are."""
    ours = our_rows(catalog, duck, identifier)
    theirs = their_rows(catalog, identifier)
    assert theirs == ours, f"another reader of {identifier}: {theirs}, and ours {ours}"
    if COUNTS is not None:
        with open(COUNTS, "a") as file:
            file.write(json.dumps([str(identifier), len(ours)]) + "\n")
    return len(ours)


def check_all(catalog: IcebergCatalog, namespace: str) -> None:
    """All tables of a database, where there is another reader."""
    if READER is None or (namespace,) not in catalog.list_namespaces():
        return
    duck = duckdb.connect()
    duck.execute("SET TimeZone = 'UTC'")
    for identifier in catalog.list_tables([namespace]):
        if not has_what_is_ours_alone(catalog, identifier):
            check(catalog, identifier, duck)


def has_what_is_ours_alone(catalog: IcebergCatalog, identifier: Identifier) -> bool:
    """Intervals, and the default that rows have which are older than their column: Iceberg says it in its version 3."""
    loaded = catalog.load_table(identifier)
    added_later = len(loaded.table.schemas()) > 1 and any(key.startswith(OLD_ROWS) for key in loaded.table.properties)
    is_ours = any(isinstance(each, OURS_ALONE) for each in nested_types(loaded.schema))
    return added_later or is_ours or has_deletes_beyond_it(loaded.table)


def has_deletes_beyond_it(table: Any) -> bool:
    """Of other writers: DuckDB 1.5.5 fails over rows deleted by value, and over vectors in version 2."""
    snapshot = table.current_snapshot()
    manifests = snapshot.manifests(table.io) if snapshot else []
    deletes = (each for each in manifests if each.content == ManifestContent.DELETES)
    files = (entry.data_file for each in deletes for entry in each.fetch_manifest_entry(table.io))
    return any(
        file.content == DataFileContent.EQUALITY_DELETES or file.file_format == FileFormat.PUFFIN for file in files
    )


def check_warehouse(server: Any, namespace: str) -> None:
    """The same for a database of a server's own catalog."""
    if READER is not None:
        place = Path(server.shared.catalogs.directory) / "spark_catalog"
        check_all(IcebergCatalog.local("spark_catalog", str(place)), namespace)
