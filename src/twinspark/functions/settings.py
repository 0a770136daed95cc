"""The session configuration that changes what an expression means."""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files


@cache
def disputed_zones() -> frozenset[str]:
    """Zones whose rules changed in tz releases of 2024 to 2026: what they mean depends on the release that Spark's Java
    carries, so they are left to it. Found by comparing JDK 17.0.15 with tzdata 2026.6, day by day from 1850 to 2100."""
    return frozenset(files(__package__).joinpath("disputed_zones.txt").read_text().split())


@dataclass(frozen=True, slots=True)
class Settings:
    """Equal settings, equal plans."""

    ansi: bool = True
    zone: str = "UTC"
    case_sensitive: bool = False
    timestamp_type: str = "TIMESTAMP_LTZ"
    size_of_null: bool = False
    now_micros: int = field(default=0, compare=False)  # the same query a second later is the same plan
    user: str = ""
    catalog: str = "spark_catalog"
    database: str = "default"
    last_key_wins: bool = False  # of a map's equal keys; else they are an error
    slices: int = 0  # tasks that read rows which came with a query, of a local Spark; 0 where they are not known
