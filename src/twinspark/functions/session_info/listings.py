"""The table functions that list Spark's key words and collations, as recorded from Spark 4.2.1."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from twinspark.types import BOOLEAN, STRING, StructField, StructType

VARIANTS = ("", "_AI", "_AI_RTRIM", "_CI", "_CI_AI", "_CI_AI_RTRIM", "_CI_RTRIM", "_RTRIM")
BINARY = ("UTF8_BINARY", "UTF8_LCASE", "UTF8_BINARY_RTRIM", "UTF8_LCASE_RTRIM")
ICU_VERSION = "78.3.0.0"
Row = tuple[object, ...]


def lines_of(name: str) -> list[str]:
    return files(__package__).joinpath(name).read_text().splitlines()


def keywords() -> list[Row]:
    """None is reserved by default; with `spark.sql.ansi.enforceReservedKeywords` the query falls back."""
    return [(line.split()[0], False) for line in lines_of("spark_keywords.txt")]


def collations() -> list[Row]:
    """Every ICU locale in eight variants, by name, after the collations without ICU."""
    locales = [line.split("\t") for line in lines_of("spark_collations.txt")]
    rows = [collation(name + variant, language, country) for name, language, country in locales for variant in VARIANTS]
    return [*map(collation, BINARY), *sorted(rows, key=lambda row: str(row[2]))]


def collation(name: str, language: str = "", country: str = "") -> Row:
    is_binary = name in BINARY
    variant = name.split("_")[1:]
    accents = "ACCENT_INSENSITIVE" if "AI" in variant else "ACCENT_SENSITIVE"
    case = "CASE_INSENSITIVE" if "CI" in variant or "LCASE" in variant else "CASE_SENSITIVE"
    padding = "RTRIM" if "RTRIM" in variant else "NO_PAD"
    version = None if is_binary else ICU_VERSION
    return ("SYSTEM", "BUILTIN", name, language or None, country or None, accents, case, padding, version)


KEYWORD_COLUMNS = StructType([StructField("keyword", STRING, False), StructField("reserved", BOOLEAN, False)])
NULLABLE = ("LANGUAGE", "COUNTRY", "ICU_VERSION")
COLLATION_NAMES = "CATALOG SCHEMA NAME LANGUAGE COUNTRY ACCENT_SENSITIVITY CASE_SENSITIVITY PAD_ATTRIBUTE ICU_VERSION"
COLLATION_COLUMNS = StructType([StructField(name, STRING, name in NULLABLE) for name in COLLATION_NAMES.split()])
LISTINGS = {"sql_keywords": (KEYWORD_COLUMNS, keywords), "collations": (COLLATION_COLUMNS, collations)}


@cache
def listing(name: str) -> tuple[StructType, list[Row]]:
    columns, rows = LISTINGS[name]
    return columns, rows()
