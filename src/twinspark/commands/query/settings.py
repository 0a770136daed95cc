"""SET and RESET: one key, all keys, and time zones."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.commands.results import Answer, answer, text
from twinspark.config.entries import descriptions, local_zone
from twinspark.config.own import SETTINGS
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.sessions.config import is_redacted, warning_of
from twinspark.sessions.services import Services
from twinspark.sessions.settings import ENGINE_KEY
from twinspark.types import quote_identifier

SETTING = StructType([text("key"), text("value")])
DESCRIBED = StructType([text("key"), text("value"), text("meaning"), text("Since version")])
UNDEFINED, UNKNOWN = "<undefined>", "<unknown>"
REDACTED = "*********(redacted)"
TIME_ZONE = "spark.sql.session.timeZone"
DEFAULT_PATH = "spark.sql.defaultPath"
HIVE_VARIABLE = "hivevar:"  # a setting whose name is the rest, for ${name}
# Hadoop's names for the number of reducers; Spark sets its own key instead.
OLD_NAMES = {
    "mapred.reduce.tasks": "spark.sql.shuffle.partitions",
    "mapreduce.job.reduces": "spark.sql.shuffle.partitions",
}


def set_configuration(statement: Any, text: str, context: Context, services: Services) -> Any:
    key, value = statement.key, statement.value
    if key is None:
        return lambda: answer(SETTING, all_settings(services))
    if key == "-v":
        return lambda: answer(DESCRIBED, described_settings(services))
    if key == DEFAULT_PATH and value is not None:
        raise NotNative(reasons.SETTING_VALUE, f"{key} may be a path")
    if warning_of(key):
        raise NotNative(reasons.SETTING_VALUE, "a setting that Spark deprecated or removed")
    check_no_variable(key, value, services)
    if key in OLD_NAMES and value is not None and not (value.isascii() and value.isdigit() and int(value) > 0):
        raise NotNative(reasons.SETTING_VALUE, f"{key} is not a number of reducers")
    if value is not None and key.startswith(HIVE_VARIABLE):
        return lambda: assign(services, key.removeprefix(HIVE_VARIABLE), value, key)
    if value is None:
        return lambda: answer(SETTING, [(OLD_NAMES.get(key, key), shown_value(OLD_NAMES.get(key, key), services))])
    return lambda: assign(services, OLD_NAMES.get(key, key), value)


def check_no_variable(key: str, value: str | None, services: Services) -> None:
    """SET x = 1 does not set a variable, though it looks like it."""
    *home, name = key.split(".")
    known = [part.lower() for part in home] in ([], ["session"], ["system", "session"])
    if value is not None and known and services.variables.get(name) is not None:
        shown = ".".join(quote_identifier(part) for part in (*home, name))
        raise SparkError("UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET", variableName=shown)


def all_settings(services: Services) -> list[tuple[str, str]]:
    ours = {ENGINE_KEY: services.engine_wanted, **services.config.own_settings()}
    every = {**ours, **services.config.everything_set()}
    return [(key, REDACTED if is_redacted(key, every[key]) else every[key]) for key in sorted(every)]


def described_settings(services: Services) -> Iterator[tuple[str, str, str, str]]:
    """Spark's public settings and then twinspark's (SQLConf.getAllDefinedConfs)."""
    chosen = dict(all_settings(services))
    for key, value, meaning, since in descriptions():
        yield key, chosen.get(key, value), meaning, since
    for each in SETTINGS:
        yield each.key, chosen.get(each.key) or each.default or UNDEFINED, each.help, UNKNOWN


def shown_value(key: str, services: Services) -> str:
    value = services.config.value(key)
    if value is None:
        return UNDEFINED
    return REDACTED if is_redacted(key, value) else value


def set_time_zone(statement: Any, text: str, context: Context, services: Services) -> Any:
    zone = local_zone() if statement.zone is None else statement.zone
    return lambda: assign(services, TIME_ZONE, zone)


def assign(services: Services, key: str, value: str, shown_key: str = "") -> Answer:
    services.config.set(key, value)
    return answer(SETTING, [(shown_key or key, value)])


def reset_configuration(statement: Any, text: str, context: Context, services: Services) -> Any:
    def reset() -> Answer:
        if statement.key is None:
            services.config.reset_all()
        else:
            services.config.reset(statement.key)
        return answer()

    return reset
