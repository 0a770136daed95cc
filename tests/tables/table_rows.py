"""Reads a table through its scan, natively, for tests."""

from typing import Any

from twinspark.tables.catalog import Identifier, Version
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import duck_scan


class Rows:
    """Reads a table through its scan, natively."""

    def __init__(self, catalog: IcebergCatalog, duck: Any) -> None:
        self.catalog, self.duck = catalog, duck

    def __call__(
        self,
        identifier: Identifier,
        columns: str = "*",
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> list[tuple[Any, ...]]:
        scan = self.catalog.load_table(identifier).scan(predicate, version)
        found = self.duck.execute(f"SELECT {columns} FROM {duck_scan(scan)}").fetchall()
        return sorted(found, key=repr)
