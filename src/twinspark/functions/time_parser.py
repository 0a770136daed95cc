"""spark.sql.legacy.timeParserPolicy: which of Java's two families of datetime patterns reads and writes texts."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.refused_patterns import refused
from twinspark.functions.settings import Settings
from twinspark.functions.spelling import error_with, text
from twinspark.types import ArrayType, DataType, DateType, MapType, StructType, TimestampNTZType, TimestampType

CORRECTED, LEGACY, EXCEPTION = "CORRECTED", "LEGACY", "EXCEPTION"
MOMENTS = DateType | TimestampType | TimestampNTZType


def instant_read(source: str, pattern: str, fails: bool, call: Any, suggested: str = "try_to_timestamp") -> str:
    """An instant of a text by a pattern; `fails` where a text that does not fit is an error."""
    zone = text(call.settings.zone)
    if (error := refused(call, source, reads=True)) is not None:
        return f"CAST({error} AS TIMESTAMPTZ)"
    if call.settings.time_parser == LEGACY:
        return old_read(source, pattern, zone, fails, suggested)
    read = f"spark_parse_timestamp{'_ansi' if fails else ''}({source}, {pattern}, {zone})"
    if call.settings.time_parser == CORRECTED and fails:
        read = f"spark_parse_timestamp({source}, {pattern}, {zone})"
        return f"coalesce({read}, CAST({complaint(source, pattern, suggested)} AS TIMESTAMPTZ))"
    if call.settings.time_parser == CORRECTED or fails:
        return read
    other = not_native("a text that only the old patterns read")
    return (
        f"coalesce({read}, CASE WHEN spark_legacy_parse({source}, {pattern}, {zone}) IS NOT NULL "
        f"THEN CAST({other} AS TIMESTAMPTZ) END)"
    )


def complaint(source: str, pattern: str, suggested: str) -> str:
    """Java's, of a text that does not fit (duck/native/parse_complaint.c)."""
    message = f"spark_parse_complaint({source}, {pattern})"
    error = error_with("CANNOT_PARSE_TIMESTAMP", message=message, func=text(f"`{suggested}`"))
    asked = not_native("a text that does not fit its datetime pattern")
    known = f"{source} IS NOT NULL AND {pattern} IS NOT NULL"
    return f"CASE WHEN {known} AND {message} IS NOT NULL THEN {error} WHEN {known} THEN {asked} END"


def old_read(source: str, pattern: str, zone: str, fails: bool, suggested: str) -> str:
    """java.text.SimpleDateFormat, whose complaint is always the same."""
    read = f"spark_legacy_parse({source}, {pattern}, {zone})"
    if not fails:
        return read
    message = f"""'Unparseable date: "' || {source} || '"'"""
    error = error_with("CANNOT_PARSE_TIMESTAMP", message=message, func=text(f"`{suggested}`"))
    known = f"{source} IS NOT NULL AND {pattern} IS NOT NULL"
    return f"coalesce({read}, CASE WHEN {known} THEN CAST({error} AS TIMESTAMPTZ) END)"


def instant_written(value: str, pattern: str, call: Any) -> str:
    if (error := refused(call, value, reads=False)) is not None:
        return f"CAST({error} AS VARCHAR)"
    name = "spark_legacy_date_format" if call.settings.time_parser == LEGACY else "spark_date_format"
    return f"{name}({value}, {pattern}, {text(call.settings.zone)})"


def holds_moments(type: DataType) -> bool:
    if isinstance(type, StructType):
        return any(holds_moments(field.dataType) for field in type.fields)
    if isinstance(type, ArrayType):
        return holds_moments(type.elementType)
    if isinstance(type, MapType):
        return holds_moments(type.keyType) or holds_moments(type.valueType)
    return isinstance(type, MOMENTS)


def refuse_old_patterns(what: str, type: DataType, settings: Settings) -> None:
    """Documents have patterns of their own, and by the old ones read leniently."""
    if settings.time_parser != CORRECTED and holds_moments(type):
        raise NotNative(f"{what} of dates or timestamps by spark.sql.legacy.timeParserPolicy = {settings.time_parser}")


FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # of the years 1 to 9999
NO_DAYS = range(-141_437, -141_427)  # 1582-10-05 to 1582-10-14


def refuse_old_date(days: int, settings: Settings) -> None:
    """A constant's text, hence its name, is of the old calendar, too."""
    if settings.time_parser == LEGACY and (not FIRST_DAY <= days <= LAST_DAY or days in NO_DAYS):
        raise NotNative("a date that the old patterns write otherwise")
