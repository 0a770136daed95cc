"""Parses and formats datetimes by spark.sql.legacy.timeParserPolicy: with java.time or SimpleDateFormat patterns."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import error_with, not_native
from twinspark.functions.notation.settings import Settings
from twinspark.functions.time.pattern_errors import pattern_error_sql
from twinspark.types import DataType, DateType, TimestampNTZType, TimestampType, has_inner
from twinspark.types.duckdb import duck_text

CORRECTED, LEGACY, EXCEPTION = "CORRECTED", "LEGACY", "EXCEPTION"
MOMENTS = DateType | TimestampType | TimestampNTZType


def parse_instant(source: str, pattern: str, fails: bool, call: Any, suggested: str = "try_to_timestamp") -> str:
    """Parses a timestamp by a pattern; with `fails` a text that does not match is an error."""
    zone = duck_text(call.settings.zone)
    if (error := pattern_error_sql(call, source, reads=True)) is not None:
        return f"CAST({error} AS TIMESTAMPTZ)"
    if call.settings.time_parser == LEGACY:
        return parse_legacy(source, pattern, zone, fails, suggested)
    read = f"spark_parse_timestamp{'_ansi' if fails else ''}({source}, {pattern}, {zone})"
    if call.settings.time_parser == CORRECTED and fails:
        read = f"spark_parse_timestamp({source}, {pattern}, {zone})"
        return f"coalesce({read}, CAST({parse_error(source, pattern, suggested)} AS TIMESTAMPTZ))"
    if call.settings.time_parser == CORRECTED or fails:
        return read
    other = not_native(reasons.DATETIME_LEGACY_POLICY, "a text that only the patterns of Spark 2 read")
    return (
        f"coalesce({read}, CASE WHEN spark_legacy_parse({source}, {pattern}, {zone}) IS NOT NULL "
        f"THEN CAST({other} AS TIMESTAMPTZ) END)"
    )


def parse_error(source: str, pattern: str, suggested: str) -> str:
    """Java's error for a text that does not match (duck/native/time/parse_errors.c)."""
    message = f"spark_parse_complaint({source}, {pattern})"
    error = error_with("CANNOT_PARSE_TIMESTAMP", message=message, func=duck_text(f"`{suggested}`"))
    fallback = not_native(reasons.DATETIME_PATTERN, "a text that does not fit its pattern")
    known = f"{source} IS NOT NULL AND {pattern} IS NOT NULL"
    return f"CASE WHEN {known} AND {message} IS NOT NULL THEN {error} WHEN {known} THEN {fallback} END"


def parse_legacy(source: str, pattern: str, zone: str, fails: bool, suggested: str) -> str:
    """java.text.SimpleDateFormat, which always has the same error message."""
    read = f"spark_legacy_parse({source}, {pattern}, {zone})"
    if not fails:
        return read
    message = f"""'Unparseable date: "' || {source} || '"'"""
    error = error_with("CANNOT_PARSE_TIMESTAMP", message=message, func=duck_text(f"`{suggested}`"))
    known = f"{source} IS NOT NULL AND {pattern} IS NOT NULL"
    return f"coalesce({read}, CASE WHEN {known} THEN CAST({error} AS TIMESTAMPTZ) END)"


def format_instant(value: str, pattern: str, call: Any) -> str:
    if (error := pattern_error_sql(call, value, reads=False)) is not None:
        return f"CAST({error} AS VARCHAR)"
    name = "spark_legacy_date_format" if call.settings.time_parser == LEGACY else "spark_date_format"
    return f"{name}({value}, {pattern}, {duck_text(call.settings.zone)})"


def holds_moments(type: DataType) -> bool:
    return has_inner(type, MOMENTS)


def check_legacy_patterns(what: str, type: DataType, settings: Settings) -> None:
    """Falls back for documents with legacy patterns: they have patterns of their own, which legacy parsers read
    leniently."""
    if settings.time_parser != CORRECTED and holds_moments(type):
        raise NotNative(
            reasons.DATETIME_LEGACY_POLICY,
            f"{what} of dates or timestamps with spark.sql.legacy.timeParserPolicy = {settings.time_parser}",
        )


FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # days since 1970 of the years 1 to 9999
NO_DAYS = range(-141_437, -141_427)  # 1582-10-05 to 1582-10-14


def check_legacy_date(days: int, settings: Settings) -> None:
    """Falls back for a constant date whose text, and so column name, differs in the legacy calendar."""
    if settings.time_parser == LEGACY and (not FIRST_DAY <= days <= LAST_DAY or days in NO_DAYS):
        raise NotNative(reasons.DATETIME_LEGACY_POLICY, "a date that the patterns of Spark 2 write differently")
