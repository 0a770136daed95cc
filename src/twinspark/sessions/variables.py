"""The SQL variables of a session: their types, values and defaults, and their values as constants in queries."""

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression, Literal
from twinspark.read.sql import tree
from twinspark.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    StructType,
    TimestampNTZType,
    TimestampType,
    is_string,
    quote_if_needed,
)

HOME = ("system", "session")
UNKNOWN = "\0"  # in a column name: Spark would display text that cannot be computed here
PLAIN = (BooleanType, BinaryType, DateType, DecimalType, DoubleType, FloatType, TimestampNTZType, TimestampType)


@dataclass(frozen=True)
class Variable:
    """Its type, its current value, and the text of its default, which SET … = DEFAULT evaluates again."""

    name: str
    type: DataType
    value: Any
    default: tree.Expression | None
    default_source: str
    home: tuple[str, ...] = HOME

    @property
    def is_nested(self) -> bool:
        return isinstance(self.type, ArrayType | StructType) and self.value is not None

    def expression(self) -> Expression:
        """A constant displayed in column names as Spark's VariableReference does; for an array or struct Spark displays
        an
        object's hash code, which cannot be computed here."""
        if self.is_nested:
            text = f"variablereference({UNKNOWN})"
            return Literal(value=self.value, type=self.type, nullable=self.value is None, text=text)
        made = build.literal(self.value, self.type)
        home = ".".join(map(quote_if_needed, self.home))
        shown = f"variablereference({home}.{self.name}={sql_text(made)})"
        return replace(made, text=shown)


SUFFIXES = {"bigint": "L", "smallint": "S", "tinyint": "Y", "double": "D"}


def sql_text(made: Literal) -> str:
    """A constant as Spark's Literal.sql writes it."""
    if made.value is None:
        return f"CAST(NULL AS {made.type.simpleString().upper()})"
    if is_string(made.type):
        return "'" + made.text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(made.type, FloatType) or made.text in ("NaN", "Infinity", "-Infinity"):
        return f"CAST('{made.text}' AS {made.type.simpleString().upper()})"
    if isinstance(made.type, DecimalType):
        return f"{made.value:.{made.type.scale}f}BD"
    return made.text + SUFFIXES.get(made.type.simpleString(), "")


class Values(dict[str, Expression]):
    """Variables by name for queries; a variable whose value only Spark knows makes its query fall back to Spark."""

    def __init__(self, known: Mapping[str, Expression], on_spark: Collection[str]) -> None:
        super().__init__(known)
        self._on_spark = on_spark

    def __bool__(self) -> bool:
        return bool(len(self) or self._on_spark)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self._on_spark:
            raise NotNative(reasons.LIVES_ON_SPARK, f"variable {name}")
        return super().get(name, default)


class Variables:
    """The variables of one session by name, and the names of those that exist on Spark only."""

    def __init__(self) -> None:
        self._known: dict[str, Variable] = {}
        self._on_spark: set[str] = set()
        self._lock = threading.Lock()

    def get(self, name: str) -> Variable | None:
        with self._lock:
            if name.lower() in self._on_spark:
                raise NotNative(reasons.LIVES_ON_SPARK, f"variable {name}")
            return self._known.get(name.lower())

    def put(self, variable: Variable) -> None:
        if variable.is_nested:
            raise NotNative(reasons.SQL_VARIABLE, f"the type {variable.type.simpleString()}")
        with self._lock:
            self._known[variable.name.lower()] = variable

    def made_on_spark(self, name: str) -> None:
        with self._lock:
            self._known.pop(name.lower(), None)
            self._on_spark.add(name.lower())

    def all_on_spark(self) -> None:
        """A statement on Spark may have set any variable."""
        for name in list(self._known):
            self.made_on_spark(name)

    def drop(self, name: str) -> bool:
        with self._lock:
            return self._known.pop(name.lower(), None) is not None

    def expressions(self) -> Mapping[str, Expression]:
        with self._lock:
            return Values({name: each.expression() for name, each in self._known.items()}, frozenset(self._on_spark))

    def copy(self) -> "Variables":
        twin = Variables()
        twin._known, twin._on_spark = dict(self._known), set(self._on_spark)
        return twin


# ---- values
