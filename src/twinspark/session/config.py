"""A session's configuration: Spark's keys, defaults and refusals as recorded from Spark, and what the session set."""

import os
import re
import threading
from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from twinspark.errors import SparkError

REDACTED = re.compile("(?i)secret|password|token|access[.]?key")  # spark.redaction.regex
DOCROOT = "https://spark.apache.org/docs/latest"
ZONE_OFFSET = re.compile(r"(?:UTC|GMT|UT)?[+-](?:0?\d|1[0-8])(?::?[0-5]\d(?::?[0-5]\d)?)?|Z|UTC|GMT|UT")
NUMBER = r"\s*[+-]?\d+\s*"
OURS = "twinspark."
OWN_DEFAULTS = {"twinspark.engine": "", "twinspark.lastOperation": "", "twinspark.native.maxScanBytes": ""}
FALLBACKS = {  # a key that nobody set answers what an older one was set to: SQLConf's fallbackConf
    "spark.sql.parquet.filterPushdown.stringPredicate": "spark.sql.parquet.filterPushdown.string.startsWith",
    "spark.sql.thriftServer.interruptOnCancel": "spark.sql.execution.interruptOnCancel",
    "spark.sql.connect.shuffleDependency.fileCleanup.enabled": "spark.sql.shuffleDependency.fileCleanup.enabled",
    "spark.sql.execution.arrow.pyspark.enabled": "spark.sql.execution.arrow.enabled",
    "spark.sql.execution.arrow.pyspark.fallback.enabled": "spark.sql.execution.arrow.fallback.enabled",
}


@dataclass(frozen=True)
class ConfigEntry:
    """One line of config.tsv: what Spark said about a key."""

    key: str
    kind: str  # sql, static, or core: a key of Spark's engine that no session may set
    default: str | None
    type: str
    options: tuple[str, ...]
    least: str
    requirement: str
    warning: str


@cache
def entries() -> dict[str, ConfigEntry]:
    lines = files(__package__).joinpath("config.tsv").read_text().splitlines()[1:]
    return {entry.key: entry for entry in map(parse_line, lines)}


def parse_line(line: str) -> ConfigEntry:
    cells = (line.replace("\\n", "\n").split("\t") + [""] * 8)[:8]
    default = cells[2][1:] if cells[2] else None
    options = tuple(cells[4].split(", ")) if cells[4] else ()
    return ConfigEntry(cells[0], cells[1], default, cells[3], options, *cells[5:])


@cache
def defaults() -> dict[str, str]:
    """What a key answers when nobody set it."""
    recorded = {entry.key: entry.default for entry in entries().values() if entry.default is not None}
    return {
        **recorded,
        "spark.sql.session.timeZone": local_zone(),
        "spark.sql.globalTempDatabase": "global_temp",
        "spark.sql.timeType.enabled": str("SPARK_TESTING" in os.environ).lower(),  # Utils.isTesting
    }


def local_zone() -> str:
    """The machine's zone by its name, as a JVM here would find it."""
    zone = os.environ.get("TZ", "").lstrip(":") or os.path.realpath("/etc/localtime").rpartition("zoneinfo/")[2]
    written = Path("/etc/timezone")
    if zone not in zone_names() and written.exists():
        zone = written.read_text().strip()
    return zone if zone in zone_names() else "UTC"


@cache
def zone_names() -> frozenset[str]:
    """A walk through a thousand files, made once."""
    return frozenset(available_timezones())


class Snapshot(ChainMap[str, str]):
    """What was set, the server's and the defaults, one behind the other; every plan asks it hundreds of times, so the
    answers lie flat as well."""

    def __init__(self, *maps: MutableMapping[str, str]) -> None:
        super().__init__(*maps)
        self._flat = {key: value for each in reversed(maps) for key, value in each.items()}
        self.made: dict[Any, Any] = {}  # what others have made of it: it never changes

    def __getitem__(self, key: str) -> str:
        return self._flat[key]

    def __contains__(self, key: object) -> bool:
        return key in self._flat

    def get(self, key: str, default: Any = None) -> Any:
        return self._flat.get(key, default)


class SessionConfig:
    """What one session sees; `base` is what the server was started with."""

    def __init__(self, base: Mapping[str, str], settings: dict[str, str] | None = None) -> None:
        self._base = dict(base)
        self._settings = settings or {}
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None  # until something is set, as is what may be shown
        self._shown: dict[str, str] | None = None

    def snapshot(self) -> Mapping[str, str]:
        """Everything with a value, for one operation: what is set while it runs does not change it."""
        with self._lock:
            if self._snapshot is None:
                self._snapshot = Snapshot(dict(self._settings), dict(self._base), defaults())
            return self._snapshot

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            self._snapshot = self._shown = None
            yield

    def get(self, key: str) -> str:
        value = self._set_value(key)
        found = value if value is not None else defaults().get(key, OWN_DEFAULTS.get(key))
        if found is None or is_redacted(key, found):
            raise SparkError("SQL_CONF_NOT_FOUND", sqlConf=f'"{key}"')
        return found

    def get_option(self, key: str) -> str | None:
        value = self._set_value(key)
        found = value if value is not None else defaults().get(key, OWN_DEFAULTS.get(key))
        return None if found is None or is_redacted(key, found) else found

    def get_with_default(self, key: str, default: str | None) -> str | None:
        """The caller's default, not Spark's own, stands in for a key that nobody set; it must be of the key's type."""
        if default is not None and key in entries():
            check_value(entries()[key], default)
        value = self._set_value(key)
        return default if value is None or is_redacted(key, value) else value

    def get_all(self) -> Mapping[str, str]:
        with self._lock:
            if self._shown is None:
                every = self._base | self._settings
                self._shown = {key: value for key, value in every.items() if not is_redacted(key, value)}
            return self._shown

    def set(self, key: str, value: str) -> None:
        check_modifiable(key)
        if entry := entries().get(key):
            check_value(entry, value)
        with self._changing():
            self._settings[key] = value

    def unset(self, key: str) -> None:
        check_modifiable(key)
        with self._changing():
            self._settings.pop(key, None)
            self._base.pop(key, None)

    def reset(self, key: str) -> None:
        """Back to what the server was started with, which `unset` would forget too."""
        check_modifiable(key)
        with self._changing():
            self._settings.pop(key, None)

    def reset_all(self) -> None:
        with self._changing():
            self._settings.clear()

    def value(self, key: str) -> str | None:
        """What the key has, set or by default; for SET, which shows secrets as stars."""
        value = self._set_value(key)
        return value if value is not None else defaults().get(key, OWN_DEFAULTS.get(key))

    def everything_set(self) -> dict[str, str]:
        """What SET lists: all that the server was started with or the session set, secrets among it."""
        with self._lock:
            return self._base | self._settings

    def settings(self) -> dict[str, str]:
        """What this session itself set."""
        with self._lock:
            return dict(self._settings)

    def adopt(self, everything: Mapping[str, str]) -> None:
        """After SQL on Spark may have changed the configuration: take over what Spark now has."""
        with self._changing():
            own = {key: value for key, value in self._settings.items() if key.startswith(OURS)}
            known = entries()
            taken = {k: v for k, v in everything.items() if self._base.get(k) != v and may_differ(known.get(k), k)}
            self._settings = own | taken

    def copy(self) -> "SessionConfig":
        with self._lock:
            return SessionConfig(self._base, dict(self._settings))

    def _set_value(self, key: str) -> str | None:
        with self._lock:
            found = self._settings.get(key, self._base.get(key))
        return self._set_value(FALLBACKS[key]) if found is None and key in FALLBACKS else found


def may_differ(entry: ConfigEntry | None, key: str) -> bool:
    """Keys of the JVM (its ports, its options) are Spark's own; a session's are SQL keys and names nobody knows."""
    return entry.kind == "sql" if entry else not key.startswith(("spark.driver.", "spark.app.", "spark.submit."))


def is_modifiable(key: str) -> bool:
    entry = entries().get(key)
    return entry is not None and entry.kind == "sql"


def warning_of(key: str) -> str | None:
    entry = entries().get(key)
    return entry.warning or None if entry else None


def is_redacted(key: str, value: str) -> bool:
    return bool(REDACTED.search(key) or REDACTED.search(value))


def check_modifiable(key: str) -> None:
    entry = entries().get(key)
    if entry and entry.kind == "static":
        raise SparkError("CANNOT_MODIFY_STATIC_CONFIG", key=f'"{key}"')
    if entry and entry.kind == "core":
        raise SparkError("CANNOT_MODIFY_CONFIG", key=f'"{key}"', docroot=DOCROOT)


def check_value(entry: ConfigEntry, value: str) -> None:
    """Spark refuses a value when it is set, not when it is used."""
    if entry.key == "spark.sql.session.timeZone" and not is_zone(value):
        raise invalid("TIME_ZONE", entry, value)
    if entry.type and not is_of_type(entry.type, value):
        raise invalid("TYPE_MISMATCH", entry, value, confType=entry.type)
    if entry.options and value.upper() not in {option.upper() for option in entry.options}:
        raise invalid("OUT_OF_RANGE_OF_OPTIONS", entry, value, confOptions=", ".join(entry.options))
    if entry.least and re.fullmatch(NUMBER, value) and int(value) < int(entry.least):
        raise invalid("REQUIREMENT", entry, value, confRequirement=entry.requirement)


def invalid(kind: str, entry: ConfigEntry, value: str, **more: Any) -> SparkError:
    return SparkError(f"INVALID_CONF_VALUE.{kind}", confName=entry.key, confValue=value, **more)


def is_zone(value: str) -> bool:
    return value in zone_names() or bool(ZONE_OFFSET.fullmatch(value))


def is_of_type(kind: str, value: str) -> bool:
    word = kind.split(" ")[0]
    if word == "boolean":
        return value.strip().lower() in ("true", "false")
    if word in ("int", "long"):
        return bool(re.fullmatch(NUMBER, value)) and -(2**63) <= int(value) < 2**63
    if word == "double":
        return is_double(value)
    return bool(re.fullmatch(r"\s*-?\d+\s*(?:[a-z]+)?\s*", value.lower())) and has_known_unit(word, value.lower())


def has_known_unit(word: str, value: str) -> bool:
    unit = re.sub(r"[\s\d-]", "", value)
    sizes = {"", "b", "k", "kb", "m", "mb", "g", "gb", "t", "tb", "p", "pb"}
    times = {"", "us", "ms", "s", "m", "min", "h", "d"}
    return unit in (sizes if word == "bytes" else times)


def is_double(value: str) -> bool:
    try:
        float(value.rstrip("dDfF") or "x")
    except ValueError:
        return False
    return True
