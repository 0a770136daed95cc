"""Helpers of all readers of JSON plans: look up a value by several keys, and record problems with their JSON paths."""

from collections.abc import Callable, Iterable
from typing import Any

from pyspark.sql.types import DataType, NullType

from twinspark.plans_json.problems import Problem
from twinspark.plans_json.tree import Literal
from twinspark.plans_json.types import type_of
from twinspark.types.text import TypeTextError

MISSING = object()
NOTHING = Literal(None)  # replaces an invalid expression, so that further problems are found


class Notes:
    """The problems found so far, the index of the current step, and which other functions the session has."""

    def __init__(self, is_registered: Callable[[str], bool] = lambda name: False) -> None:
        self.problems: list[Problem] = []
        self.step: int | None = None
        self.is_registered = is_registered

    def wrong(self, path: str, message: str) -> Literal:
        self.problems.append(Problem(self.step, path, message))
        return NOTHING

    def text(self, value: object, path: str, what: str) -> str:
        if isinstance(value, str):
            return value
        self.wrong(path, f"expected {what}, not {show_value(value)}")
        return ""

    def items(self, value: object, path: str, what: str) -> list[Any]:
        if isinstance(value, list | tuple):
            return list(value)
        self.wrong(path, f"expected a list of {what}, not {show_value(value)}")
        return []

    def flag(self, value: object, path: str) -> bool:
        if isinstance(value, bool):
            return value
        self.wrong(path, f"expected true or false, not {show_value(value)}")
        return False

    def type(self, value: object, path: str) -> DataType:
        try:
            return type_of(value)
        except TypeTextError as error:
            self.wrong(path, str(error))
            return NullType()


def first_of(written: dict[str, Any], keys: Iterable[str], otherwise: object = MISSING) -> Any:
    """The value of the first of these keys that exists."""
    return next((written[key] for key in keys if key in written), otherwise)


def first_key(written: dict[str, Any], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if key in written), None)


def show_value(value: object) -> str:
    """A short text of a value for error messages; `nothing` if there is none."""
    if value is MISSING:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
