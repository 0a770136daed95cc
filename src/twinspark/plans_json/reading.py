"""What every reader of a plan shares: finding a value under its many keys, and noting problems with their place."""

from collections.abc import Callable, Iterable
from typing import Any

from pyspark.sql.types import DataType, NullType

from twinspark.plans_json.problems import Problem
from twinspark.plans_json.tree import Literal
from twinspark.plans_json.type_text import BadType, type_of

MISSING = object()
NOTHING = Literal(None)  # stands where a problem was found, so that reading goes on and finds the next one


class Notes:
    """The problems found so far, the step being read, and which functions beyond Spark's own the session has."""

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
        self.wrong(path, f"expected {what}, not {shown(value)}")
        return ""

    def items(self, value: object, path: str, what: str) -> list[Any]:
        if isinstance(value, list | tuple):
            return list(value)
        self.wrong(path, f"expected a list of {what}, not {shown(value)}")
        return []

    def flag(self, value: object, path: str) -> bool:
        if isinstance(value, bool):
            return value
        self.wrong(path, f"expected true or false, not {shown(value)}")
        return False

    def type(self, value: object, path: str) -> DataType:
        try:
            return type_of(value)
        except BadType as error:
            self.wrong(path, str(error))
            return NullType()


def first_of(written: dict[str, Any], keys: Iterable[str], otherwise: object = MISSING) -> Any:
    """The value under the first of these keys that is there."""
    return next((written[key] for key in keys if key in written), otherwise)


def first_key(written: dict[str, Any], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if key in written), None)


def shown(value: object) -> str:
    """A value in a message: short, and `nothing` when there was none."""
    if value is MISSING:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
