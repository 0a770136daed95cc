"""The embedded catalog: PyIceberg's SQL catalog on one SQLite file, with metadata that survives a power loss."""

import os
import threading
from contextlib import suppress
from typing import Any

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile, OutputStream
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import Table

from twinspark.errors import NotNative, reasons
from twinspark.tables.files.file_cache import LruCache
from twinspark.tables.iceberg.shared_metadata import share_metadata

METADATA_FILES = "twinspark.tables.iceberg.sqlite_catalog.DurableFiles"


def open_local(name: str, database: str, warehouse: str, is_flat: bool = False) -> "LocalCatalog":
    """The catalog in this SQLite file; other processes may have it open too, so writers wait for each other."""
    os.makedirs(os.path.dirname(database), exist_ok=True)
    catalog = (FlatCatalog if is_flat else LocalCatalog)(
        name, uri=f"sqlite:///{database}?timeout=60", warehouse=warehouse, **{"py-io-impl": METADATA_FILES}
    )
    with catalog.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    return catalog


class LocalCatalog(SqlCatalog):  # type: ignore[misc]  # PyIceberg ships no complete types
    """PyIceberg's SQL catalog that removes the metadata file of a failed commit, and parses each metadata file once."""

    _written = threading.local()

    def __init__(self, name: str, **properties: str) -> None:
        super().__init__(name, **properties)
        self._files: LruCache[Any] = LruCache(128)

    @staticmethod
    def identifier_to_database_and_table(identifier: Any, err: type[Exception] = NoSuchTableError) -> tuple[str, str]:
        """Allows nested namespaces, which PyIceberg's method rejects though its tables can store them."""
        *namespace, table = Catalog.identifier_to_tuple(identifier)
        if not namespace:
            raise err(f"no namespace: {identifier}")
        return ".".join(namespace), table

    def _convert_orm_to_iceberg(self, orm_table: Any) -> Table:
        location = orm_table.metadata_location
        metadata = self._files.get(location, lambda: share_metadata(FromInputFile.table_metadata(LocalInput(location))))
        return Table(
            identifier=(*Catalog.identifier_to_tuple(orm_table.table_namespace), orm_table.table_name),
            metadata=metadata,
            metadata_location=location,
            io=self._load_file_io(metadata.properties, location),
            catalog=self,
        )

    def is_table_location(self, location: str) -> bool:
        """Whether a table has its metadata below this location."""
        start = f"{location}/"
        query = "SELECT 1 FROM iceberg_tables WHERE substr(metadata_location, 1, ?) = ? LIMIT 1"
        with self.engine.connect() as connection:
            return connection.exec_driver_sql(query, (len(start), start)).fetchone() is not None

    def _write_metadata(self, metadata: Any, io: Any, metadata_path: str) -> None:
        self._written.path = metadata_path
        try:
            super()._write_metadata(metadata, io, metadata_path)
        except OSError:  # the disk is full: an incomplete file is removed
            with suppress(FileNotFoundError):
                os.unlink(local(metadata_path))
            raise

    def commit_table(self, table: Any, requirements: Any, updates: Any) -> Any:
        self._written.path = None
        try:
            done = super().commit_table(table, requirements, updates)
        except (CommitFailedException, TableAlreadyExistsError):
            if self._written.path is not None:
                os.unlink(local(self._written.path))
            raise
        self._files.put(done.metadata_location, share_metadata(done.metadata))
        return done


class FlatCatalog(LocalCatalog):
    """A catalog whose namespaces have one part, as in Spark's session catalog: a dot in a stored name is no separator.
    Earlier versions accepted such names, and warehouses that have them must open."""

    def list_namespaces(self, namespace: Any = ()) -> list[tuple[str, ...]]:
        if namespace:
            return []
        query = (
            "SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ?"
            " UNION SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?"
        )
        with self.engine.connect() as connection:
            return [(each,) for (each,) in connection.exec_driver_sql(query, (self.name, self.name))]

    def namespace_exists(self, namespace: Any) -> bool:
        """PyIceberg passes the name or its parts."""
        whole = (namespace,) if isinstance(namespace, str) else tuple(namespace)
        return whole in self.list_namespaces()

    def list_tables(self, namespace: Any) -> list[tuple[str, ...]]:
        name = namespace if isinstance(namespace, str) else namespace[0]
        if not self.namespace_exists(name):
            raise NoSuchNamespaceError(f"Namespace does not exist: {name}")
        query = "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?"
        with self.engine.connect() as connection:
            return [(name, each) for (each,) in connection.exec_driver_sql(query, (self.name, name))]


def local(location: str) -> str:
    """The local path of a location; other file systems fall back to Spark."""
    if location.startswith("file:"):
        return location.removeprefix("file://").removeprefix("file:")
    if "://" in location:
        raise NotNative(reasons.FILE_SYSTEM, f"{location.partition('://')[0]}")
    return location


def is_local(location: str) -> bool:
    return location.startswith(("file:", "/"))


class DurableFiles(FileIO):  # type: ignore[misc]
    """A FileIO for local files that syncs files and their directories to disk on close."""

    def new_input(self, location: str) -> InputFile:
        return LocalInput(location)

    def new_output(self, location: str) -> OutputFile:
        return LocalOutput(location)

    def delete(self, location: Any) -> None:
        os.unlink(local(location if isinstance(location, str) else location.location))


class LocalInput(InputFile):  # type: ignore[misc]
    def __len__(self) -> int:
        return os.path.getsize(local(self.location))

    def exists(self) -> bool:
        return os.path.exists(local(self.location))

    def open(self, seekable: bool = True) -> InputStream:
        stream: InputStream = open(local(self.location), "rb")  # noqa: SIM115 - the caller closes it
        return stream


class LocalOutput(OutputFile):  # type: ignore[misc]
    def __len__(self) -> int:
        return os.path.getsize(local(self.location))

    def exists(self) -> bool:
        return os.path.exists(local(self.location))

    def to_input_file(self) -> InputFile:
        return LocalInput(self.location)

    def create(self, overwrite: bool = False) -> OutputStream:
        path = local(self.location)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return SyncedStream(path, "wb" if overwrite else "xb")


class SyncedStream:
    """A file that `close` syncs to disk, with its directory entry."""

    def __init__(self, path: str, mode: str) -> None:
        self._path = path
        self._stream = open(path, mode)  # noqa: SIM115 - closed in close()

    def write(self, data: bytes) -> int:
        return int(self._stream.write(data))

    def tell(self) -> int:
        return int(self._stream.tell())

    def close(self) -> None:
        if self._stream.closed:
            return
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
        finally:
            self._stream.close()
        sync_directory(os.path.dirname(self._path))

    def __enter__(self) -> "SyncedStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sync_files(paths: list[str]) -> None:
    """Syncs data files and their directories to disk."""
    for path in paths:
        sync(path)
    for directory in {os.path.dirname(path) for path in paths}:
        sync_directory(directory)


def sync_directory(path: str) -> None:
    sync(path)


def sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
