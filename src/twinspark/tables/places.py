"""Where Spark's session catalog keeps tables of files: in their database's directory, which lies in the warehouse."""

import os
import shutil

from twinspark.errors import SparkError
from twinspark.tables.catalog import Namespace
from twinspark.tables.listing import SCHEME, local_path


def of_database(namespace: Namespace, warehouse: str) -> str:
    """The database `default` is the warehouse itself."""
    own = namespace.properties.get("location")
    if own is not None:
        return own.rstrip("/")
    (name,) = namespace.name
    return f"file:{warehouse}" if name == "default" else f"file:{warehouse}/{name}.db"


def of_table(namespace: Namespace, name: str, warehouse: str, full_name: str) -> str:
    """The directory that a managed table of this name has; nobody else's files may be in it."""
    place = f"{of_database(namespace, warehouse)}/{name}"
    if has_files(place):
        raise SparkError("LOCATION_ALREADY_EXISTS", identifier=full_name, location=f"'{shown(place)}'")
    return place


def whole(location: str, directory: str) -> str:
    """A LOCATION that is no whole path begins in the directory of what it belongs to."""
    return location if location.startswith("/") or SCHEME.match(location) else f"{directory.rstrip('/')}/{location}"


def has_files(place: str) -> bool:
    return os.path.isdir(local_path(place)) and bool(os.listdir(local_path(place)))


def shown(place: str) -> str:
    return f"file:{local_path(place)}"


def move(place: str, new: str) -> None:
    """A managed table's directory is called as the table is."""
    if os.path.isdir(local_path(place)):
        os.makedirs(os.path.dirname(local_path(new)), exist_ok=True)
        if os.path.isdir(local_path(new)):
            os.rmdir(local_path(new))
        shutil.move(local_path(place), local_path(new))


def forget_database(namespace: Namespace, warehouse: str) -> None:
    """Its directory goes with it, and all that tables which moved elsewhere left there; a directory that was chosen
    for it goes only when nothing is in it."""
    own = local_path(of_database(namespace, warehouse))
    if own == local_path(f"{warehouse}/{namespace.name[0]}.db"):
        shutil.rmtree(own, ignore_errors=True)
    elif os.path.isdir(own) and not os.listdir(own):
        os.rmdir(own)
