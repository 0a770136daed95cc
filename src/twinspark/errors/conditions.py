"""Defines SparkError: an error condition raised by name, with the message text and SQLSTATE of Spark or Delta Lake."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from twinspark.errors.context import QueryContext


class SparkError(Exception):
    """An error condition of Spark with its parameters; the server sends it as a Spark server would.

    `exception` is the Java class, where the condition alone does not determine it. Without `has_exact_message`,
    Spark's message may differ in some details. Without `has_query_context`, Spark does not report where in the query
    the error is."""

    exception: str | None = None
    has_exact_message = True
    has_query_context = True

    def __init__(self, condition: str, /, *, contexts: tuple[QueryContext, ...] = (), **parameters: object) -> None:
        self.condition = condition
        self.parameters = {name: str(value) for name, value in parameters.items()}
        self.contexts = contexts
        super().__init__(message_of(condition, self.parameters))

    @property
    def sqlstate(self) -> str:
        return sqlstate_of(self.condition)


class JavaError(Exception):
    """An exception of Java, or of a library, that Spark passes on: it has a class and a message, but no condition."""

    def __init__(self, java_class: str, message: str) -> None:
        self.java_class = java_class
        super().__init__(message)


class NotAllowed(Exception):
    """A flag of `twinspark serve` forbids the request; it runs on neither engine."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def message_of(condition: str, parameters: dict[str, str]) -> str:
    """`[CONDITION] text SQLSTATE: ...`, as SparkThrowableHelper.getMessage writes it. Conditions that Spark has not
    named yet (`_LEGACY_ERROR_...`) do not appear in the message."""
    text = re.sub(r"<([a-zA-Z0-9_-]+)>", lambda found: parameters.get(found[1], found[0]), template_of(condition))
    state = sqlstate_of(condition)
    shown = "" if condition.startswith("_LEGACY_ERROR_") else f"[{condition}] "
    return f"{shown}{text}" + (f" SQLSTATE: {state}" if state else "")


def template_of(condition: str) -> str:
    main, _, sub = condition.partition(".")
    entry = error_conditions()[main]
    lines = "\n".join(entry["message"])
    return f"{lines} " + "\n".join(entry["subClass"][sub]["message"]) if sub else lines


def sqlstate_of(condition: str) -> str:
    main, _, sub = condition.partition(".")
    entry = error_conditions().get(main, {})
    state = entry.get("subClass", {}).get(sub, {}).get("sqlState") or entry.get("sqlState", "")
    return str(state)


@cache
def error_conditions() -> dict[str, Any]:
    """Spark's error-conditions.json, extracted from its jar (tools/spark_jar.py), with Delta Lake's conditions."""
    found: dict[str, Any] = json.loads(files("twinspark.errors").joinpath("error_conditions.json").read_text())
    return found | delta_conditions()


def delta_conditions() -> dict[str, Any]:
    """Names, parameters and SQLSTATEs of those conditions of Delta Lake that the native Delta tables raise."""
    found: dict[str, Any] = json.loads(files("twinspark.errors").joinpath("delta.json").read_text())
    return found
