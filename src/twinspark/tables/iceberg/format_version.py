"""Checks the property format-version: the versions that can be created or upgraded to."""

from collections.abc import Mapping

from twinspark.errors import JavaError, SparkError

VERSION = "format-version"
WRITTEN = (1, 2)  # PyIceberg reads version 3 but does not write it
KNOWN = 3


def check_version(properties: Mapping[str, str], table_name: str) -> None:
    if VERSION in properties:
        version_of(properties[VERSION], table_name)


def version_of(text: str, table_name: str) -> int:
    """The version, if tables of that version can be written."""
    if not text.isdecimal():
        raise JavaError("java.lang.NumberFormatException", f'For input string: "{text}"')
    if int(text) in WRITTEN:
        return int(text)
    if int(text) == KNOWN:
        operation = "the format version 3 (it can be read, and not be written)"
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=table_name, operation=operation)
    raise JavaError("java.lang.IllegalArgumentException", f"Unsupported format version: v{text} (supported: v{KNOWN})")
