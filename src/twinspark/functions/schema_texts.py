"""Schemas given as text, in from_json and its like: the grammar stands in the reading room, which tells it here."""

from collections.abc import Callable

from twinspark.errors import NotNative
from twinspark.types import DataType

_readers: list[Callable[[str], DataType]] = []


def use(reader: Callable[[str], DataType]) -> None:
    """The reading room's way to read a schema."""
    _readers[:] = [reader]


_finders: list[Callable[[str, str], str | None]] = []


def use_finder(finder: Callable[[str, str], str | None]) -> None:
    """The extension's way to find the schema of a JSON text, by letters for its options; None: only Spark can tell."""
    _finders[:] = [finder]


def schema_of_json(json: str, options: str) -> str:
    found = _finders[0](json, options) if _finders else None
    if found is None:
        raise NotNative("the schema of JSON that only Spark reads")
    return found


def schema_of(text: str) -> DataType:
    if not _readers:
        raise NotNative("a schema given as text")
    return _readers[0](text)
