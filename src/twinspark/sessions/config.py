"""A session's configuration: Spark's keys, defaults and restrictions as recorded from Spark, and the values it has
set."""

import re
import threading
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

from twinspark.config.entries import ConfigEntry, defaults, entries
from twinspark.config.own import BY_KEY, OURS, SESSION_KEYS, check_exists, check_session_value
from twinspark.config.values import read_value
from twinspark.errors import SparkError

REDACTED = re.compile("(?i)secret|password|token|access[.]?key")  # spark.redaction.regex
DOCROOT = "https://spark.apache.org/docs/latest"
NOTHING_FIXED: Mapping[str, str] = {}
OWN_DEFAULTS = {key: setting.default for key, setting in BY_KEY.items()}
FALLBACKS = {  # an unset key takes the value of an older one: SQLConf's fallbackConf
    "spark.sql.parquet.filterPushdown.stringPredicate": "spark.sql.parquet.filterPushdown.string.startsWith",
    "spark.sql.thriftServer.interruptOnCancel": "spark.sql.execution.interruptOnCancel",
    "spark.sql.connect.shuffleDependency.fileCleanup.enabled": "spark.sql.shuffleDependency.fileCleanup.enabled",
    "spark.sql.execution.arrow.pyspark.enabled": "spark.sql.execution.arrow.enabled",
    "spark.sql.execution.arrow.pyspark.fallback.enabled": "spark.sql.execution.arrow.fallback.enabled",
}


class Snapshot(ChainMap[str, str]):
    """Session settings over server settings over defaults; every plan reads it hundreds of times, so the merged values
    are
    also stored in one flat dictionary."""

    def __init__(self, *maps: MutableMapping[str, str]) -> None:
        super().__init__(*maps)
        self._flat = {key: value for each in reversed(maps) for key, value in each.items()}
        self.made: dict[Any, Any] = {}  # values that others have derived from this snapshot: it never changes

    def __getitem__(self, key: str) -> str:
        return self._flat[key]

    def __contains__(self, key: object) -> bool:
        return key in self._flat

    def get(self, key: str, default: Any = None) -> Any:
        return self._flat.get(key, default)

    def as_dictionary(self) -> dict[str, str]:
        """A copy: `dict(snapshot)` would call `__getitem__` for each of several hundred keys."""
        return dict(self._flat)


class SessionConfig:
    """The configuration that one session sees; `base` holds the settings the server was started with."""

    def __init__(
        self,
        base: Mapping[str, str],
        fixed: Mapping[str, str] = NOTHING_FIXED,
        check: Callable[[str, str], None] = lambda key, value: None,
        settings: dict[str, str] | None = None,
    ) -> None:
        self._base = dict(base)
        self._fixed = fixed  # twinspark settings that the operator chose
        self._check = check  # raises NotAllowed
        self._settings = settings or {}
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None  # until something is set; the redacted view likewise
        self._shown: dict[str, str] | None = None

    def snapshot(self) -> Mapping[str, str]:
        """All settings with a value, for one operation: later changes do not affect it."""
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
        check_exists(key)
        if found is None or is_redacted(key, found):
            raise SparkError("SQL_CONF_NOT_FOUND", sqlConf=f'"{key}"')
        return found

    def get_option(self, key: str) -> str | None:
        value = self._set_value(key)
        found = value if value is not None else defaults().get(key, OWN_DEFAULTS.get(key))
        return None if found is None or is_redacted(key, found) else found

    def get_with_default(self, key: str, default: str | None) -> str | None:
        """Uses the caller's default, not Spark's, for an unset key; the default must be valid for the key's type."""
        if default is not None and key in entries():
            read_value(entries()[key], default)
        value = self._set_value(key)
        return default if value is None or is_redacted(key, value) else value

    def get_all(self) -> Mapping[str, str]:
        with self._lock:
            if self._shown is None:
                every = self._base | self._settings
                self._shown = {key: value for key, value in every.items() if not is_redacted(key, value)}
            return self._shown

    def is_open(self, key: str) -> bool:
        """Whether a session may choose this twinspark setting."""
        return key in SESSION_KEYS and key not in self._fixed

    def set(self, key: str, value: str) -> None:
        self._check_settable(key, value)
        check_session_value(key, value)
        if entry := entries().get(key):
            read_value(entry, value)
        with self._changing():
            self._settings[key] = value

    def _check_settable(self, key: str, value: str | None = None) -> None:
        check_modifiable(key)
        if self._fixed.get(key, value) != value:
            raise SparkError("CANNOT_MODIFY_STATIC_CONFIG", key=f'"{key}"')
        self._check(key, value or "")

    def unset(self, key: str) -> None:
        self._check_settable(key)
        with self._changing():
            self._settings.pop(key, None)
            self._base.pop(key, None)

    def reset(self, key: str) -> None:
        """Back to the value the server was started with, which `unset` would remove as well."""
        check_modifiable(key)
        with self._changing():
            self._settings.pop(key, None)

    def reset_all(self) -> None:
        with self._changing():
            self._settings.clear()

    def value(self, key: str) -> str | None:
        """The key's value, set or by default; for SET, which masks secrets."""
        value = self._set_value(key)
        return value if value is not None else defaults().get(key, OWN_DEFAULTS.get(key))

    def everything_set(self) -> dict[str, str]:
        """What SET lists: settings the server was started with or the session has set, including secrets."""
        with self._lock:
            return self._base | self._settings

    def own_settings(self) -> dict[str, str]:
        """The twinspark settings that this session may choose, with the values that hold."""
        found = {key: self.value(key) for key in SESSION_KEYS}
        return {key: value for key, value in found.items() if value}

    def settings(self) -> dict[str, str]:
        """The settings that this session itself has set."""
        with self._lock:
            return dict(self._settings)

    def adopt(self, everything: Mapping[str, str]) -> None:
        """Takes over Spark's configuration after SQL on Spark may have changed it."""
        with self._changing():
            own = {key: value for key, value in self._settings.items() if key.startswith(OURS)}
            everything = {key: value for key, value in everything.items() if self._may_adopt(key, value)}
            known = entries()
            taken = {k: v for k, v in everything.items() if self._base.get(k) != v and may_differ(known.get(k), k)}
            self._settings = own | taken

    def _may_adopt(self, key: str, value: str) -> bool:
        """A session that runs on Spark sets keys there; twinspark's own keys have their own rules."""
        if not key.startswith(OURS):
            return True
        return key in SESSION_KEYS and self._fixed.get(key, value) == value

    def copy(self) -> "SessionConfig":
        with self._lock:
            return SessionConfig(self._base, self._fixed, self._check, dict(self._settings))

    def _set_value(self, key: str) -> str | None:
        with self._lock:
            found = self._settings.get(key, self._base.get(key))
        return self._set_value(FALLBACKS[key]) if found is None and key in FALLBACKS else found


def may_differ(entry: ConfigEntry | None, key: str) -> bool:
    """Keys of the JVM (its ports, its options) belong to Spark; a session's keys are SQL keys and undefined ones."""
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
    check_exists(key)
    entry = entries().get(key)
    is_operators = key.startswith(OURS) and key not in SESSION_KEYS
    if is_operators or (entry and entry.kind == "static"):
        raise SparkError("CANNOT_MODIFY_STATIC_CONFIG", key=f'"{key}"')
    if entry and entry.kind == "core":
        raise SparkError("CANNOT_MODIFY_CONFIG", key=f'"{key}"', docroot=DOCROOT)
