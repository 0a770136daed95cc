"""All catalogs of a server: `spark_catalog` and those of spark.sql.catalog.*; names of many parts are resolved here."""

import glob
import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NotInstalledError

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.locks import TableLocks
from twinspark.tables.iceberg.sqlite_catalog import METADATA_FILES, LocalCatalog, local
from twinspark.tables.session_catalog import SessionCatalog
from twinspark.tables.store import Store
from twinspark.types import quote_identifier

SESSION_CATALOG = "spark_catalog"
PREFIX = "spark.sql.catalog."
ICEBERG_CLASSES = "org.apache.iceberg."  # catalogs of other Java classes exist only in Spark
# Iceberg's Java classes for `catalog-impl`, and PyIceberg's names of the same catalogs.
IMPLEMENTATIONS = {
    "org.apache.iceberg.rest.RESTCatalog": "rest",
    "org.apache.iceberg.hive.HiveCatalog": "hive",
    "org.apache.iceberg.jdbc.JdbcCatalog": "jdbc",
    "org.apache.iceberg.hadoop.HadoopCatalog": "hadoop",
    "org.apache.iceberg.aws.glue.GlueCatalog": "glue",
    "org.apache.iceberg.aws.dynamodb.DynamoDbCatalog": "dynamodb",
}
TYPES = {"hadoop": "sql", "jdbc": "sql"}


@dataclass(frozen=True)
class Name:
    """A fully qualified name: the catalog, and the identifier in it."""

    catalog: str
    identifier: Identifier

    @property
    def qualifier(self) -> tuple[str, ...]:
        return (self.catalog, *self.identifier.namespace, self.identifier.name)


class Catalogs:
    """The catalogs by name, opened when they are first used."""

    def __init__(
        self,
        directory: str,
        config: Mapping[str, str] | None = None,
        may_be_on_spark: Callable[[], bool] = lambda: False,
    ) -> None:
        self.directory = directory
        self.may_be_on_spark = may_be_on_spark  # whether Spark may have further catalogs
        self.config = dict(config or {})
        self._opened: dict[str, SessionCatalog] = {}
        self._lock = threading.RLock()

    def sharing(self, other: "Catalogs") -> "Catalogs":
        """These catalogs with the other's session catalog: all sessions share it and its locks."""
        key = f"{PREFIX}{SESSION_CATALOG}"
        if {k: v for k, v in self.config.items() if k.startswith(key)} == {
            k: v for k, v in other.config.items() if k.startswith(key)
        }:
            self._opened[SESSION_CATALOG] = other.get(SESSION_CATALOG)
        return self

    def names(self) -> list[str]:
        """The names of all opened or configured catalogs (SHOW CATALOGS)."""
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
            # The embedded catalog's directory is inside Spark's warehouse directory.
            return SessionCatalog.local(name, os.path.join(self.directory, name), os.path.dirname(self.directory))
        if f"{PREFIX}{name}" not in self.config:
            shown = quote_identifier(name)
            raise self.unknown(SparkError("CATALOG_NOT_FOUND", catalogName=shown, config=f'"{PREFIX}{name}"'))
        if "." in (kind := self.config[f"{PREFIX}{name}"]) and not kind.startswith(ICEBERG_CLASSES):
            raise NotNative(reasons.CATALOG, f"class {kind}")
        options = catalog_options(self.config, name)
        if options.get("type", "sql") == "sql" and "uri" not in options:
            return SessionCatalog.local(name, local(options.get("warehouse") or os.path.join(self.directory, name)))
        return SessionCatalog.open_shared(self.remote(name, options))

    def remote(self, name: str, options: Mapping[str, str]) -> IcebergCatalog:
        """Opens a REST, Hive, Glue or SQL catalog with PyIceberg; its views and staged writes are stored in a local
        file, one for each set of options, since sessions may give different catalogs the same name."""
        own = os.path.join(self.directory, f"{name}-{digest(options)}")
        locks = TableLocks(os.path.join(own, "locks"))
        return IcebergCatalog(name, open_catalog(name, options), Store(os.path.join(own, "catalog.db")), locks)

    def unknown(self, error: SparkError) -> SparkError | NotNative:
        """The error for an unknown catalog; a fall-back where Spark may have it."""
        return NotNative(reasons.LIVES_ON_SPARK, "catalog", likely_error=error) if self.may_be_on_spark() else error

    def resolve(self, parts: Sequence[str], current_catalog: str, current_namespace: Sequence[str]) -> Name:
        """Resolves a multi-part name; its first part is a catalog if there is one of that name."""
        if len(parts) == 1:
            namespace = namespace_parts(current_catalog, current_namespace)
            return self.check_name(Name(current_catalog, Identifier(namespace, parts[0])))
        if parts[0] in self.names():
            return self.check_name(Name(parts[0], Identifier(tuple(parts[1:-1]), parts[-1])))
        return self.check_name(Name(current_catalog, Identifier(tuple(parts[:-1]), parts[-1])))

    def check_name(self, name: Name) -> Name:
        if name.catalog == SESSION_CATALOG and len(name.identifier.namespace) != 1:
            shown = str(name.identifier)
            raise self.unknown(
                SparkError("REQUIRES_SINGLE_PART_NAMESPACE", sessionCatalog=SESSION_CATALOG, identifier=shown)
            )
        if not name.identifier.namespace:
            raise NotNative(reasons.ERROR_MESSAGE, "a table name without a namespace")
        return lower_case(name) if name.catalog == SESSION_CATALOG else name


def namespace_parts(catalog: str, namespace: Sequence[str]) -> tuple[str, ...]:
    """Splits a namespace that a session stores as one string; namespaces of the session catalog have one part."""
    if catalog == SESSION_CATALOG or len(namespace) != 1 or "`" in namespace[0]:
        return tuple(namespace)
    return tuple(namespace[0].split("."))


def lower_case(name: Name) -> Name:
    """The session catalog stores names in lower case."""
    found = name.identifier
    return Name(name.catalog, Identifier(tuple(part.lower() for part in found.namespace), found.name.lower()))


def open_catalog(name: str, options: Mapping[str, str]) -> Catalog:
    """PyIceberg's catalog; its local metadata files are synced to disk before a commit."""
    try:
        settings = {"py-io-impl": METADATA_FILES, **options}
        return LocalCatalog(name, **settings) if options["type"] == "sql" else load_catalog(name, **settings)
    except (NotInstalledError, ModuleNotFoundError) as missing:
        raise NotNative(reasons.CATALOG, f"{name}: {missing}") from missing


def digest(options: Mapping[str, str]) -> str:
    settings = "\n".join(options.get(key, "") for key in ("type", "uri", "warehouse"))
    return hashlib.blake2b(settings.encode(), digest_size=6).hexdigest()


def is_catalog_key(key: str) -> bool:
    return key.startswith(PREFIX) and "." not in key.removeprefix(PREFIX)


def catalog_options(config: Mapping[str, str], name: str) -> dict[str, str]:
    """The settings `spark.sql.catalog.NAME.key` as PyIceberg's `key`."""
    start = f"{PREFIX}{name}."
    options = {key.removeprefix(start): value for key, value in config.items() if key.startswith(start)}
    implementation = options.pop("catalog-impl", None)
    if implementation is not None and implementation not in IMPLEMENTATIONS:
        raise NotNative(reasons.CATALOG, implementation)
    kind = options.get("type") or IMPLEMENTATIONS.get(implementation or "", "sql")
    if kind == "hadoop":
        check_not_hadoop(options.get("warehouse", ""))
    return {**options, **database_of(options), "type": TYPES.get(kind, kind)}


def check_not_hadoop(warehouse: str) -> None:
    """A Hadoop catalog is emulated with an SQLite file, which does not list tables that other programs created."""
    if any(glob.glob(f"{local(warehouse)}/{'*/' * deep}metadata/version-hint.text") for deep in (1, 2, 3)):
        raise NotNative(reasons.CATALOG, "an Iceberg Hadoop catalog whose warehouse contains tables of other programs")


def database_of(options: Mapping[str, str]) -> dict[str, str]:
    """A JDBC URL as an SQLAlchemy URL, with user and password."""
    kind, _, place = options.get("uri", "").removeprefix("jdbc:").partition(":")
    if not options.get("uri", "").startswith("jdbc:"):
        return {}
    if kind == "sqlite":
        return {"uri": f"sqlite:///{place}"}
    user, password = (quote(options.get(f"jdbc.{key}", ""), safe="") for key in ("user", "password"))
    return {"uri": f"{kind}://{user}:{password}@{place.removeprefix('//')}" if user else f"{kind}:{place}"}
