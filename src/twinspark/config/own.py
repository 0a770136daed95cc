"""twinspark's own settings, `twinspark.*`: kinds, defaults, meanings; docs/reference/settings.md is made from them."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from twinspark.config.values import read_boolean
from twinspark.errors import SparkError

OURS = "twinspark."
SESSION, OPERATOR, SERVER = "session", "operator", "server"  # who chooses a setting; the server's can only be read
SIZES = {"": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40}  # JavaUtils
TIMES = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}  # JavaUtils.timeStringAs


def read_count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d+", text.strip(), re.ASCII) else None


def read_size(text: str) -> int | None:
    """Bytes; a size as in Spark's settings: `512m`, `2g`, or a number."""
    found = re.fullmatch(r"(\d+) ?([a-z]*)", text.strip().lower(), re.ASCII)
    return int(found[1]) << SIZES[found[2]] if found and found[2] in SIZES else None


def read_seconds(text: str) -> float | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower(), re.ASCII)
    return float(found[1]) * TIMES[found[2]] if found and found[2] in TIMES else None


def read_names(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())


# Kinds of values: what an error says is expected, and the reader, which returns None for a text that is no such value.
COUNT, SIZE, TIME = "a whole number", "a size such as 512m or 2g", "a time such as 30s or 2m"
BOOLEAN, TEXT, NAMES, OPTION = "true or false", "a text", "names with commas between them", "one of several words"
READERS: dict[str, Callable[[str], Any]] = {
    COUNT: read_count,
    SIZE: read_size,
    TIME: read_seconds,
    BOOLEAN: read_boolean,
    TEXT: str,
    NAMES: read_names,
}


@dataclass(frozen=True)
class OwnSetting:
    """One setting; an empty default is explained in `help`."""

    key: str
    chosen_by: str
    kind: str
    default: str
    help: str
    options: tuple[str, ...] = ()

    @property
    def expected_value(self) -> str:
        return f"one of {', '.join(self.options)}" if self.options else self.kind

    def read(self, text: str) -> Any:
        """The value; raises ValueError for a text that is none."""
        value = (text if text in self.options else None) if self.options else READERS[self.kind](text)
        if value is None:
            raise ValueError(f"{self.key} is {self.expected_value}, not {text!r}")
        return value


def option(key: str, default: str, help: str, *options: str) -> OwnSetting:
    return OwnSetting(key, SESSION, OPTION, default, help, options)


def of_python(name: str, kind: str, default: str, help: str, *options: str) -> OwnSetting:
    return OwnSetting("twinspark.python." + name, OPERATOR, kind, default, help, options)


def of_spark(name: str, kind: str, default: str, help: str) -> OwnSetting:
    return OwnSetting("twinspark.spark." + name, OPERATOR, kind, default, help)


SETTINGS = (
    option("twinspark.engine", "", "The engine of the session; without it the server's.", "auto", "duckdb", "spark"),
    option("twinspark.rowOrder", "spark",
           "`spark`: small results have the row order of a local Spark; `engine`: DuckDB's.", "spark", "engine"),
    OwnSetting("twinspark.shadow", SESSION, BOOLEAN, "false",
               "Native queries run once more on both engines, one at a time; the page Verify of the web UI compares."),
    OwnSetting("twinspark.native.maxScanBytes", SESSION, SIZE, "200g",
               "With the engine `auto`, plans that read more than this run on Spark."),
    option("twinspark.tables.provider", "iceberg", "The format of tables that are created without `USING`.",
           "iceberg", "delta", "parquet", "csv", "json", "orc", "text"),
    of_python("memory", SIZE, "", "Memory of a worker and the processes it starts; without it half of the machine's."),
    of_python("processes", COUNT, "256", "Processes of a worker; 0 is no limit, also in the four below."),
    of_python("files", COUNT, "4096", "Files that a worker has open at once."),
    of_python("fileSize", SIZE, "0", "Size of one file that a worker writes."),
    of_python("seconds", COUNT, "0", "Seconds of one run of a worker."),
    of_python("user", OPTION, "own",
              "`own`: a user id for each session, if the server is root; `server`: the server's.", "own", "server"),
    of_python("variables", NAMES, "", "Environment variables of the server that its workers see too."),
    of_spark("showTables", BOOLEAN, "false",
             "With `--spark-remote`: that Spark can read twinspark's files, so it gets views of twinspark's tables."),
    of_spark("classArchive", BOOLEAN, "false",
             "Spark started here writes an archive of its classes when it stops, and later starts from it."),
    of_spark("startTimeout", TIME, "60s", "A start of Spark whose log shows an error is given up after this."),
    of_spark("startLimit", TIME, "10m", "A start of Spark whose log shows no cause is given up after this."),
    of_spark("remoteTimeout", TIME, "10s", "A remote Spark must answer its first call within this."),
    of_spark("silenceTimeout", TIME, "10s", "After this long without a byte from Spark it is pinged."),
    of_spark("pingTimeout", TIME, "5s", "How long such a ping waits for its answer."),
    of_spark("hangTimeout", TIME, "60s", "Spark that answers no ping for this long counts as hung, and is replaced."),
    of_spark("retryDelay", TIME, "10s", "The first pause after too many failed starts; every further one doubles it."),
    of_spark("retryLimit", TIME, "60s", "The longest such pause."),
    of_spark("circuitFailures", COUNT, "3", "So many failed starts in a row begin the pauses."),
    OwnSetting("twinspark.lastOperation", SERVER, TEXT, "",
               "JSON: engine, code, reason, advice, outcome and seconds of the session's last operation."),
    OwnSetting("twinspark.lastOperations", SERVER, TEXT, "[]", "The newest operations as a JSON list, newest last."),
    OwnSetting("twinspark.sparkStatus", SERVER, TEXT, "", "JSON: the state of the server's Spark."),
)  # fmt: skip
BY_KEY = {setting.key: setting for setting in SETTINGS}
SESSION_KEYS = frozenset(key for key, setting in BY_KEY.items() if setting.chosen_by == SESSION)
CHOSEN_AT_START = frozenset(key for key, setting in BY_KEY.items() if setting.chosen_by in (SESSION, OPERATOR))


def own_value(config: Mapping[str, str], key: str) -> Any:
    """The value that is set, or the default; None for a setting that has neither."""
    text = config.get(key) or BY_KEY[key].default
    return BY_KEY[key].read(text) if text else None


def check_operators(config: Iterable[tuple[str, str]]) -> None:
    """Raises ValueError for a setting of twinspark that does not exist, or has no such value."""
    for key, text in config:
        if key.startswith(OURS):
            if key not in CHOSEN_AT_START:
                raise ValueError(f"there is no setting {key}{suggestion(key, CHOSEN_AT_START)}")
            BY_KEY[key].read(text)


def check_session_value(key: str, text: str) -> None:
    """Raises Spark's error for a value that a setting of twinspark does not have."""
    if key in BY_KEY:
        try:
            BY_KEY[key].read(text)
        except ValueError:
            raise invalid_value(BY_KEY[key], text) from None


def invalid_value(setting: OwnSetting, text: str) -> SparkError:
    named = partial(SparkError, confName=setting.key, confValue=text)
    if setting.options:
        return named("INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", confOptions=", ".join(setting.options))
    return named("INVALID_CONF_VALUE.TYPE_MISMATCH", confType=setting.kind.removeprefix("a "))


def check_exists(key: str) -> None:
    """Spark accepts keys that nobody defined; of twinspark's own, all are known, so another one is misspelt."""
    if key.startswith(OURS) and key not in BY_KEY:
        near = suggestion(key, BY_KEY, '"')
        raise SparkError("SQL_CONF_NOT_FOUND", sqlConf=f'"{key}"' + (f" ({near[2:]})" if near else ""))


def suggestion(name: str, known: Iterable[str], quote: str = "") -> str:
    """`; did you mean port?`, or nothing. What all names start with says nothing about how near two of them are."""
    shared = OURS if name.startswith(OURS) else ""
    names = {each.removeprefix(shared): each for each in known if each.startswith(shared)}
    near = difflib.get_close_matches(name.removeprefix(shared), list(names), 1)
    return f"; did you mean {quote}{names[near[0]]}{quote}?" if near else ""
