"""The session configuration that changes what an expression means."""

import datetime as dt
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo


@cache
def disputed_zones() -> frozenset[str]:
    """Zones whose rules changed in tz releases of 2024 to 2026: what they mean depends on the release that Spark's Java
    carries, so they are left to it. Found by comparing JDK 17.0.15 with tzdata 2026.6, day by day from 1850 to 2100."""
    return frozenset(files(__package__).joinpath("disputed_zones.txt").read_text().split())


OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d\d?)(?::(\d\d))?")


@cache
def clock_of(zone: str) -> dt.tzinfo:
    """A session's zone for Python; KeyError or ValueError for names that only Java knows."""
    found = OFFSET.fullmatch(zone)
    if found is None:
        return ZoneInfo(zone)
    offset = dt.timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return dt.timezone(-offset if found[1] == "-" else offset)


@dataclass(frozen=True, slots=True)
class Settings:
    """Equal settings, equal plans."""

    ansi: bool = True
    zone: str = "UTC"
    session_zone: str = ""  # where a view remembers another one
    case_sensitive: bool = False
    timestamp_type: str = "TIMESTAMP_LTZ"
    size_of_null: bool = False
    now_micros: int = field(default=0, compare=False)  # the same query a second later is the same plan
    user: str = ""
    catalog: str = "spark_catalog"
    database: str = "default"
    loses_digits: bool = True  # spark.sql.decimalOperations.allowPrecisionLoss
    last_key_wins: bool = False  # of a map's equal keys; else they are an error
    time_type: bool = False  # spark.sql.timeType.enabled
    time_parser: str = "CORRECTED"  # spark.sql.legacy.timeParserPolicy
    slices: int = 0  # tasks that read rows which came with a query, of a local Spark; 0 where they are not known
