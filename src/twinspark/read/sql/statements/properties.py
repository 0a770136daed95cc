"""Parses lists of properties and options, such as ('key' = 'value', a.b 1), and rejects keys that Spark reserves."""

from collections.abc import Iterable

from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier
from twinspark.read.sql.lexer.strings import is_string, is_string_or_marker, parse_one_string, parse_string_value
from twinspark.read.sql.tree import Properties

_TABLE_KEYS = {
    "provider": "please use the USING clause to specify it",
    "location": "please use the LOCATION clause to specify it",
    "owner": "it will be set to the current user",
    "external": "please use CREATE EXTERNAL TABLE",
    "collation": "please use the DEFAULT COLLATION clause to specify it",
    "is_managed_location": "please remove it from the TBLPROPERTIES list.",
    "table_type": "please remove it from the TBLPROPERTIES list.",
}
_NAMESPACE_KEYS = {key: _TABLE_KEYS[key] for key in ("location", "collation", "owner")}


def parse_property_list(cursor: Cursor, *, values: bool = True) -> Properties:
    """Keys with values, or keys alone (`values` False)."""
    start = cursor.start
    found = cursor.in_parentheses(_parse_property)
    keys = [key for key, _ in found]
    for key in dict.fromkeys(keys):
        if keys.count(key) > 1:
            cursor.defer_error("DUPLICATE_KEY", start, cursor.stop, keyColumn=f"`{key}`")
    bad = [key for key, value in found if (value is None) == values]
    if bad:
        requirement = "Values must be" if values else "Values should not be"
        message = f"{requirement} specified for key(s): [{','.join(bad)}]"
        cursor.defer_statement_error("_LEGACY_ERROR_TEMP_0035", message=message)
    return found


def parse_table_properties(cursor: Cursor, *, values: bool = True) -> Properties:
    found = parse_property_list(cursor, values=values)
    check_table_keys(cursor, (key for key, _ in found))
    return found


def check_table_keys(cursor: Cursor, keys: Iterable[str]) -> None:
    _check_keys(cursor, "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", keys, _TABLE_KEYS)


def parse_namespace_properties(cursor: Cursor, *, values: bool = True) -> Properties:
    found = parse_property_list(cursor, values=values)
    _check_keys(cursor, "UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", (key for key, _ in found), _NAMESPACE_KEYS)
    return found


def _check_keys(cursor: Cursor, condition: str, keys: Iterable[str], reserved: dict[str, str]) -> None:
    if cursor.config.allows("spark.sql.legacy.notReserveProperties"):
        return
    for key in keys:
        if key in reserved:
            cursor.defer_statement_error(condition, property=key, msg=reserved[key])


def _parse_property(cursor: Cursor) -> tuple[str, str | None]:
    key = parse_property_key(cursor)
    if cursor.take("=") or cursor.kinds[cursor.at] not in (",", ")"):
        return key, _parse_property_value(cursor)
    return key, None


def parse_property_key(cursor: Cursor) -> str:
    """Adjacent strings are one key only before an equals sign; otherwise the second is the value of the first."""
    if not is_string_or_marker(cursor, cursor.at):
        return ".".join(parse_multipart_identifier(cursor).parts)
    joined = cursor.attempt(_joined_key)
    if joined is not None:
        return joined
    return parse_one_string(cursor) if is_string(cursor, cursor.at) else parse_string_value(cursor)


def _joined_key(cursor: Cursor) -> str:
    key = parse_string_value(cursor)
    if cursor.kinds[cursor.at] != "=":
        raise cursor.fail(cursor.at - 1)
    return key


def _parse_property_value(cursor: Cursor) -> str:
    if cursor.take_any("integer", "decimal"):
        return cursor.tokens.word(cursor.at - 1)
    if cursor.take_any("TRUE", "FALSE"):
        return cursor.kinds[cursor.at - 1].lower()
    return parse_string_value(cursor)
