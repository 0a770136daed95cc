"""Loads config.tsv: Spark's configuration keys with kind, default, type and options, as recorded from Spark."""

import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from zoneinfo import available_timezones

ZONE = "spark.sql.session.timeZone"


@dataclass(frozen=True)
class ConfigEntry:
    """One line of config.tsv: one configuration key of Spark."""

    key: str
    kind: str  # sql, static, or core: a key of Spark's engine that no session may set
    default: str | None
    type: str
    options: tuple[str, ...]
    least: str
    requirement: str
    warning: str
    spelling: str  # how options are compared: exact, folded (ignoring case) or trimmed (ignoring case and blanks)


@cache
def entries() -> dict[str, ConfigEntry]:
    lines = files(__package__).joinpath("config.tsv").read_text().splitlines()[1:]
    return {entry.key: entry for entry in map(parse_line, lines)}


def parse_line(line: str) -> ConfigEntry:
    cells = (line.replace("\\n", "\n").split("\t") + [""] * 9)[:9]
    default = cells[2][1:] if cells[2] else None
    options = tuple(cells[4].split(", ")) if cells[4] else ()
    return ConfigEntry(cells[0], cells[1], default, cells[3], options, *cells[5:])


@cache
def descriptions() -> tuple[tuple[str, str, str, str], ...]:
    """What Spark's `SET -v` shows in a new session: key, value, meaning and the release that introduced the key."""
    rows = json.loads(files(__package__).joinpath("descriptions.json").read_text())
    zone = {ZONE: local_zone()}
    return tuple((key, zone.get(key, value), meaning, since) for key, value, meaning, since in rows)


@cache
def defaults() -> dict[str, str]:
    """The value of each key that the session has not set."""
    recorded = {entry.key: entry.default for entry in entries().values() if entry.default is not None}
    return {
        **recorded,
        ZONE: local_zone(),
        "spark.sql.globalTempDatabase": "global_temp",
        "spark.sql.timeType.enabled": str("SPARK_TESTING" in os.environ).lower(),  # Utils.isTesting
    }


def local_zone() -> str:
    """The name of this machine's time zone, found as the JDK finds it (TimeZone_md.c)."""
    found = (
        zone for zone in (os.environ.get("TZ", "").lstrip(":"), linked_zone(), written_zone()) if zone in zone_names()
    )
    return next(found, "UTC")


def linked_zone() -> str:
    """The zone that /etc/localtime links to. The JDK follows one link only: zoneinfo/Etc/UTC is Etc/UTC, even where
    that file is a link to UTC."""
    link = Path("/etc/localtime")
    return os.readlink(link).rpartition("zoneinfo/")[2] if link.is_symlink() else ""


def written_zone() -> str:
    """The zone that /etc/timezone contains."""
    file = Path("/etc/timezone")
    return file.read_text().strip() if file.exists() else ""


@cache
def zone_names() -> frozenset[str]:
    """The names of all time zones; cached, since finding them lists about a thousand files."""
    return frozenset(available_timezones())
