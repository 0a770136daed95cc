"""Parses schemas given as text, as in from_json; the parser is set by the `read` package, which may not be imported
here."""

from collections.abc import Callable

from twinspark.errors import NotNative, reasons
from twinspark.types import DataType

_readers: list[Callable[[str], DataType]] = []


def use(reader: Callable[[str], DataType]) -> None:
    """Sets the parser of schema texts."""
    _readers[:] = [reader]


_finders: list[Callable[[str, str], str | None]] = []


def use_finder(finder: Callable[[str, str], str | None]) -> None:
    """Sets the function that infers the schema of a JSON text, given letters for its options; it returns None if only
    Spark can."""
    _finders[:] = [finder]


def schema_of_json(json: str, options: str) -> str:
    found = _finders[0](json, options) if _finders else None
    if found is None:
        raise NotNative(reasons.SCHEMA_INFERENCE, "the schema of a document that only Spark infers")
    return found


def schema_of(text: str) -> DataType:
    if not _readers:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "a schema given as text")
    return _readers[0](text)
