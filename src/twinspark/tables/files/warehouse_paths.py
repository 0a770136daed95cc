"""Directories of managed file tables and databases below the warehouse, as in Spark's session catalog."""

import os
import shutil

from twinspark.errors import SparkError
from twinspark.tables.catalog import Namespace
from twinspark.tables.files.listing import SCHEME, local_path


def database_directory(namespace: Namespace, warehouse: str) -> str:
    """The directory of a database; that of `default` is the warehouse."""
    own = namespace.properties.get("location")
    if own is not None:
        return own.rstrip("/")
    (name,) = namespace.name
    return f"file:{warehouse}" if name == "default" else f"file:{warehouse}/{name}.db"


def table_directory(namespace: Namespace, name: str, warehouse: str, full_name: str) -> str:
    """The directory of a new managed table; raises an error if it contains files."""
    place = f"{database_directory(namespace, warehouse)}/{name}"
    if has_files(place):
        raise SparkError("LOCATION_ALREADY_EXISTS", identifier=full_name, location=f"'{location_uri(place)}'")
    return place


def absolute_path(location: str, directory: str) -> str:
    """The absolute path of a LOCATION, which may be relative to the given directory."""
    return location if location.startswith("/") or SCHEME.match(location) else f"{directory.rstrip('/')}/{location}"


def has_files(place: str) -> bool:
    return os.path.isdir(local_path(place)) and bool(os.listdir(local_path(place)))


def location_uri(place: str) -> str:
    return f"file:{local_path(place)}"


def move(place: str, new: str) -> None:
    """Renames the directory of a managed table."""
    if os.path.isdir(local_path(place)):
        os.makedirs(os.path.dirname(local_path(new)), exist_ok=True)
        if os.path.isdir(local_path(new)):
            os.rmdir(local_path(new))
        shutil.move(local_path(place), local_path(new))


def is_below(place: str, warehouse: str) -> bool:
    """An earlier server accepted schema names such as `../x`: nothing outside of the warehouse is removed."""
    return os.path.dirname(os.path.normpath(place)) == os.path.normpath(local_path(warehouse))


def forget_database(namespace: Namespace, warehouse: str) -> None:
    """Removes the directory of a dropped database, with what moved tables left there; a directory given by LOCATION is
    removed only if it is empty."""
    own = local_path(database_directory(namespace, warehouse))
    if is_below(own, warehouse) and own == local_path(f"{warehouse}/{namespace.name[0]}.db"):
        shutil.rmtree(own, ignore_errors=True)
    elif os.path.isdir(own) and not os.listdir(own):
        os.rmdir(own)
