"""The session settings that change the meaning of an expression."""

import datetime as dt
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from twinspark.config.zones import region_of


@cache
def disputed_zones() -> frozenset[str]:
    """Time zones whose rules changed in tz releases of 2024 to 2026: their meaning depends on the release in Spark's
    JVM, so they fall back. Found by comparing JDK 17.0.15 with tzdata 2026.6 for every day from 1850 to 2100.
    Those of System V are only in Java's data."""
    return frozenset(files(__package__).joinpath("disputed_zones.txt").read_text().split())


OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d\d?)(?::(\d\d))?")


@cache
def clock_of(zone: str) -> dt.tzinfo:
    """The session time zone for Python; KeyError or ValueError for names that only Java knows."""
    zone = region_of(zone)
    found = OFFSET.fullmatch(zone)
    if found is None:
        return ZoneInfo(zone)
    offset = dt.timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return dt.timezone(-offset if found[1] == "-" else offset)


@dataclass(frozen=True, slots=True)
class Settings:
    """Plans with equal settings and equal nodes are equal."""

    ansi: bool = True
    zone: str = "UTC"
    session_zone: str = ""  # if a view was created with another time zone
    case_sensitive: bool = False
    timestamp_type: str = "TIMESTAMP_LTZ"
    size_of_null: bool = False
    now_micros: int = field(default=0, compare=False)  # not compared: the same query a second later is the same plan
    user: str = ""
    catalog: str = "spark_catalog"
    database: str = "default"
    loses_digits: bool = True  # spark.sql.decimalOperations.allowPrecisionLoss
    last_key_wins: bool = False  # for duplicate map keys; otherwise they are an error
    time_type: bool = False  # spark.sql.timeType.enabled
    time_parser: str = "CORRECTED"  # spark.sql.legacy.timeParserPolicy
    slices: int = 0  # tasks of a local Spark that read local rows; 0 if the number is not known
