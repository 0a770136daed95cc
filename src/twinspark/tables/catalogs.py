"""All catalogs of a server: `spark_catalog` and those of spark.sql.catalog.*; names of many parts are resolved here."""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyiceberg.catalog import load_catalog

from twinspark.errors import NotNative, SparkError
from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.session_catalog import SessionCatalog
from twinspark.tables.store import Store
from twinspark.types import quote_identifier

SESSION_CATALOG = "spark_catalog"
PREFIX = "spark.sql.catalog."
ICEBERG_CLASSES = "org.apache.iceberg."  # another class is Java's, and lives in Spark


@dataclass(frozen=True)
class Name:
    """A name in full: which catalog, and what in it."""

    catalog: str
    identifier: Identifier

    @property
    def qualifier(self) -> tuple[str, ...]:
        return (self.catalog, *self.identifier.namespace, self.identifier.name)


class Catalogs:
    """The catalogs by name, opened when they are first used."""

    def __init__(self, directory: str, config: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.config = dict(config or {})
        self._opened: dict[str, SessionCatalog] = {}
        self._lock = threading.RLock()

    def sharing(self, other: "Catalogs") -> "Catalogs":
        """With the other's session catalog: it is one, with its locks, whatever further catalogs a session names."""
        key = f"{PREFIX}{SESSION_CATALOG}"
        if {k: v for k, v in self.config.items() if k.startswith(key)} == {
            k: v for k, v in other.config.items() if k.startswith(key)
        }:
            self._opened[SESSION_CATALOG] = other.get(SESSION_CATALOG)
        return self

    def names(self) -> list[str]:
        """Those opened or configured (SHOW CATALOGS)."""
        configured = {key.removeprefix(PREFIX) for key in self.config if is_catalog_key(key)}
        return sorted({SESSION_CATALOG, *configured})

    def get(self, name: str) -> SessionCatalog:
        with self._lock:
            found = self._opened.get(name)
            if found is None:
                found = self._opened[name] = self.open(name)
            return found

    def open(self, name: str) -> SessionCatalog:
        if name == SESSION_CATALOG and f"{PREFIX}{name}" not in self.config:
            return SessionCatalog.local(name, os.path.join(self.directory, name))
        if f"{PREFIX}{name}" not in self.config:
            raise SparkError("CATALOG_NOT_FOUND", catalogName=quote_identifier(name), config=f'"{PREFIX}{name}"')
        if "." in (kind := self.config[f"{PREFIX}{name}"]) and not kind.startswith(ICEBERG_CLASSES):
            raise NotNative(f"a catalog of the class {kind}")
        options = catalog_options(self.config, name)
        if options.get("type", "sql") == "sql" and "uri" not in options:
            return SessionCatalog.local(name, options.get("warehouse") or os.path.join(self.directory, name))
        return SessionCatalog(self.remote(name, options))

    def remote(self, name: str, options: Mapping[str, str]) -> IcebergCatalog:
        """REST, Hive, Glue or SQL, as PyIceberg is told; views and open writes stay in our own file."""
        store = Store(os.path.join(self.directory, name, "catalog.db"))
        return IcebergCatalog(name, load_catalog(name, **options), store)

    def resolve(self, parts: Sequence[str], current_catalog: str, current_namespace: Sequence[str]) -> Name:
        """A name of one to n parts; the first part is a catalog if there is one of that name."""
        if len(parts) == 1:
            return self.checked(Name(current_catalog, Identifier(tuple(current_namespace), parts[0])))
        if parts[0] in self.names():
            return self.checked(Name(parts[0], Identifier(tuple(parts[1:-1]), parts[-1])))
        return self.checked(Name(current_catalog, Identifier(tuple(parts[:-1]), parts[-1])))

    @staticmethod
    def checked(name: Name) -> Name:
        if name.catalog == SESSION_CATALOG and len(name.identifier.namespace) != 1:
            raise SparkError(
                "REQUIRES_SINGLE_PART_NAMESPACE",
                sessionCatalog=SESSION_CATALOG,
                identifier=str(name.identifier),
            )
        if not name.identifier.namespace:
            raise NotNative("a table outside of any namespace")
        return folded(name) if name.catalog == SESSION_CATALOG else name


def folded(name: Name) -> Name:
    """The session catalog keeps names in small letters, however they are written."""
    found = name.identifier
    return Name(name.catalog, Identifier(tuple(part.lower() for part in found.namespace), found.name.lower()))


def is_catalog_key(key: str) -> bool:
    return key.startswith(PREFIX) and "." not in key.removeprefix(PREFIX)


def catalog_options(config: Mapping[str, str], name: str) -> dict[str, str]:
    """`spark.sql.catalog.NAME.key` as PyIceberg's `key`."""
    start = f"{PREFIX}{name}."
    options = {key.removeprefix(start): value for key, value in config.items() if key.startswith(start)}
    implementation = options.pop("catalog-impl", None)
    if implementation is not None and "type" not in options:
        raise NotNative(f"the catalog {implementation}")
    return {
        **options,
        "type": {"hadoop": "sql", "jdbc": "sql"}.get(options.get("type", ""), options.get("type", "sql")),
    }
