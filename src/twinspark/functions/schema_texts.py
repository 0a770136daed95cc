"""Schemas given as text, in from_json and its like: the grammar stands in the reading room, which tells it here."""

from collections.abc import Callable

from twinspark.errors import NotNative
from twinspark.types import DataType

_readers: list[Callable[[str], DataType]] = []


def use(reader: Callable[[str], DataType]) -> None:
    """The reading room's way to read a schema."""
    _readers[:] = [reader]


def schema_of(text: str) -> DataType:
    if not _readers:
        raise NotNative("a schema given as text")
    return _readers[0](text)
