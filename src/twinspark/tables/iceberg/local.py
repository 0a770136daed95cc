"""The embedded catalog: PyIceberg's SQL catalog on one SQLite file, with metadata that survives a power loss."""

import os
import threading
from contextlib import suppress
from typing import Any

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, TableAlreadyExistsError
from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile, OutputStream
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import Table

from twinspark.errors import NotNative
from twinspark.tables.iceberg.shared_metadata import shared
from twinspark.tables.kept import Kept

METADATA_FILES = "twinspark.tables.iceberg.local.DurableFiles"


def open_local(name: str, database: str, warehouse: str) -> "LocalCatalog":
    """The catalog in this SQLite file; other processes may have it open too, so writers wait for each other."""
    os.makedirs(os.path.dirname(database), exist_ok=True)
    catalog = LocalCatalog(
        name, uri=f"sqlite:///{database}?timeout=60", warehouse=warehouse, **{"py-io-impl": METADATA_FILES}
    )
    with catalog.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    return catalog


class LocalCatalog(SqlCatalog):  # type: ignore[misc]  # PyIceberg ships no complete types
    """A lost race leaves no metadata file behind; a metadata file is parsed once."""

    _written = threading.local()

    def __init__(self, name: str, **properties: str) -> None:
        super().__init__(name, **properties)
        self._files: Kept[Any] = Kept(128)

    @staticmethod
    def identifier_to_database_and_table(identifier: Any, err: type[Exception] = NoSuchTableError) -> tuple[str, str]:
        """Namespaces may lie in namespaces: PyIceberg's own stops there, though its tables have room for them."""
        *namespace, table = Catalog.identifier_to_tuple(identifier)
        if not namespace:
            raise err(f"no namespace: {identifier}")
        return ".".join(namespace), table

    def _convert_orm_to_iceberg(self, orm_table: Any) -> Table:
        location = orm_table.metadata_location
        metadata = self._files.get(location, lambda: shared(FromInputFile.table_metadata(LocalInput(location))))
        return Table(
            identifier=(*Catalog.identifier_to_tuple(orm_table.table_namespace), orm_table.table_name),
            metadata=metadata,
            metadata_location=location,
            io=self._load_file_io(metadata.properties, location),
            catalog=self,
        )

    def is_place_of_any(self, location: str) -> bool:
        """Whether some table has its metadata there: one that was registered may share another's place."""
        start = f"{location}/"
        query = "SELECT 1 FROM iceberg_tables WHERE substr(metadata_location, 1, ?) = ? LIMIT 1"
        with self.engine.connect() as connection:
            return connection.exec_driver_sql(query, (len(start), start)).fetchone() is not None

    def _write_metadata(self, metadata: Any, io: Any, metadata_path: str) -> None:
        self._written.path = metadata_path
        try:
            super()._write_metadata(metadata, io, metadata_path)
        except OSError:  # the disk is full: half a file is none
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
        self._files.put(done.metadata_location, shared(done.metadata))
        return done


def local(location: str) -> str:
    """A place as a path of this machine; the engine here has no way to others."""
    if location.startswith("file:"):
        return location.removeprefix("file://").removeprefix("file:")
    if "://" in location:
        raise NotNative(f"files at {location.partition('://')[0]}://")
    return location


def is_local(location: str) -> bool:
    return location.startswith(("file:", "/"))


class DurableFiles(FileIO):  # type: ignore[misc]
    """Local files that are on disk, with their names, when they are closed."""

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
    """A file that is synced, directory entry included, before `close` returns."""

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
    """Data files on disk, and the directories that name them."""
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
