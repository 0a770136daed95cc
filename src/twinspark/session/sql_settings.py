"""SET and RESET in all their forms: one key, all keys, time zones."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.session.choose import ENGINE_KEY, check_engine
from twinspark.session.config import is_redacted, local_zone, warning_of
from twinspark.session.sql_results import Answer, answer, text
from twinspark.types import quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session

SETTING = StructType([text("key"), text("value")])
UNDEFINED = "<undefined>"
REDACTED = "*********(redacted)"
TIME_ZONE = "spark.sql.session.timeZone"
DEFAULT_PATH = "spark.sql.defaultPath"
HIVE_VARIABLE = "hivevar:"  # a setting whose name is the rest, for ${name}
# Hadoop's names for the number of reducers; Spark sets its own key instead.
OLD_NAMES = {
    "mapred.reduce.tasks": "spark.sql.shuffle.partitions",
    "mapreduce.job.reduces": "spark.sql.shuffle.partitions",
}


def set_configuration(statement: Any, text: str, context: Context, session: "Session") -> Any:
    key, value = statement.key, statement.value
    if key is None:
        return lambda: answer(SETTING, all_settings(session))
    if key == "-v":
        raise NotNative("SQL: SET -v tells what every key is for, in Spark's words")
    if key == DEFAULT_PATH and value is not None:
        raise NotNative(f"{key}: whether that is a path")
    if warning_of(key):
        raise NotNative("SQL: SET of a key that is deprecated or gone")
    check_no_variable(key, value, session)
    if key in OLD_NAMES and value is not None and not (value.isascii() and value.isdigit() and int(value) > 0):
        raise NotNative(f"SQL: SET {key} to what is no number of reducers")
    if value is not None and key.startswith(HIVE_VARIABLE):
        return lambda: assign(session, key.removeprefix(HIVE_VARIABLE), value, key)
    if value is None:
        return lambda: answer(SETTING, [(OLD_NAMES.get(key, key), shown(OLD_NAMES.get(key, key), session))])
    return lambda: assign(session, OLD_NAMES.get(key, key), value)


def check_no_variable(key: str, value: str | None, session: "Session") -> None:
    """SET x = 1 is not how a variable is set, though it looks like it."""
    *home, name = key.split(".")
    known = [part.lower() for part in home] in ([], ["session"], ["system", "session"])
    if value is not None and known and session.variables.get(name) is not None:
        shown = ".".join(quote_identifier(part) for part in (*home, name))
        raise SparkError("UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET", variableName=shown)


def all_settings(session: "Session") -> list[tuple[str, str]]:
    every = session.config.everything_set()
    return [(key, REDACTED if is_redacted(key, every[key]) else every[key]) for key in sorted(every)]


def shown(key: str, session: "Session") -> str:
    value = session.config.value(key)
    if value is None:
        return UNDEFINED
    return REDACTED if is_redacted(key, value) else value


def set_time_zone(statement: Any, text: str, context: Context, session: "Session") -> Any:
    zone = local_zone() if statement.zone is None else statement.zone
    return lambda: assign(session, TIME_ZONE, zone)


def assign(session: "Session", key: str, value: str, told: str = "") -> Answer:
    if key == ENGINE_KEY:
        check_engine(value)
    session.config.set(key, value)
    return answer(SETTING, [(told or key, value)])


def reset_configuration(statement: Any, text: str, context: Context, session: "Session") -> Any:
    def reset() -> Answer:
        if statement.key is None:
            session.config.reset_all()
        else:
            session.config.reset(statement.key)
        return answer()

    return reset
