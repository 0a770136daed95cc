"""Registers Spark functions with `fn`: Spark's signature on the left, DuckDB's SQL on the right.

    fn("upper(string) -> string", "upper({0})", "ucase")

The signature, in a small notation:
  string int bigint date …   the argument is implicitly cast to this type (families.implicit_type)
  numeric integral any …     a family of types: arguments of the family are not cast (FAMILIES)
  string|binary              the first alternative that fits
  T K V                      type variables: all arguments of one variable are cast to their common type
  array<T> map<K,V>          nested types, with families or variables inside
  int = 1                    the default of a missing argument (a literal: number, 'text', true, null)
  T...                       any number of arguments, or none; `T...+` at least one
  string?                    a null argument does not make the result null
  string: literal            must be foldable: `string literal`
  -> bigint?   the result is always nullable        -> bigint!   the result is never null
  -> array<T!> elements never null   -> array<T?> elements may be null   -> array<T> as the first array<T> argument
A typing rule `(Call) -> Typed` replaces the signature's types where the notation cannot express them.

The SQL: a template ({0} {1} … are the arguments' SQL, {args} all of them, {type} DuckDB's name of the result type), a
Python function `(call, *arguments) -> str`, or SPARK: the call is typed here, but the plan falls back to Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from twinspark.errors import Cause


class _Spark:
    """Marks a function that is not exact natively: the plan falls back to Spark."""

    def __repr__(self) -> str:
        return "SPARK"


SPARK = _Spark()

Writer = str | Callable[..., str] | _Spark
Rule = Callable[..., Any]

SCALAR, AGGREGATE, WINDOW, GENERATOR = "scalar", "aggregate", "window", "generator"


@dataclass(frozen=True)
class Parameter:
    """One parameter: its alternative types, whether null passes, its default, and repetition."""

    types: tuple[str, ...]
    null_passes: bool = False
    default: str | None = None
    repeated: bool = False
    at_least_one: bool = False
    literal: bool = False
    name: str = ""


@dataclass(frozen=True, eq=False)
class Signature:
    """One overload of a function; compared by identity."""

    function: str
    parameters: tuple[Parameter, ...]
    result: str
    nullable: bool | None  # None if the result is null exactly when an argument is
    writer: Writer = field(repr=False)
    kind: str = SCALAR
    rule: Rule | None = None
    cause: Cause | None = None  # the reason for falling back, with SPARK
    shows: str | None = None  # the name in generated column names, if it differs from the function's name
    keeps_alias: bool = False  # generated column names show the alias that was called
    shows_defaults: bool = False  # generated column names show the defaults of missing arguments
    deterministic: bool = True
    variadic: bool = field(default=False)

    @cached_property
    def required_count(self) -> int:
        return sum(p.default is None and (not p.repeated or p.at_least_one) for p in self.parameters)

    def accepts(self, count: int) -> bool:
        if self.rule is not None and not self.parameters:
            return True
        return self.required_count <= count and (self.variadic or count <= len(self.parameters))


_lines: dict[str, list[tuple[str, Writer, dict[str, Any]]]] = {}
_aliases: dict[str, str] = {}


def fn(signature: str, writer: Writer, *aliases: str, rule: Rule | None = None, **facts: Any) -> None:
    """Registers a function; a second registration of the same name is an overload, which is tried after the first."""
    name = signature.partition("(")[0].strip()
    _lines.setdefault(name, []).append((signature, writer, {"rule": rule, **facts}))
    for alias in aliases:
        _aliases[alias] = name


@cache
def overloads(name: str) -> tuple[Signature, ...]:
    """The overloads of a function by any of its names; empty if the function is unknown."""
    name = name.lower()
    return tuple(_parse(*line) for line in _lines.get(_aliases.get(name, name), ()))


def canonical(name: str) -> str:
    return _aliases.get(name.lower(), name.lower())


def names() -> list[str]:
    return sorted({*_lines, *_aliases})


def _parse(signature: str, writer: Writer, facts: dict[str, Any]) -> Signature:
    found = re.fullmatch(r"\s*([^\s(]+)\((.*)\)\s*(?:->\s*(.*?))?\s*", signature, re.S)
    assert found is not None, f"not a signature: {signature}"
    result = found[3] or ""
    nullable = {"?": True, "!": False}.get(result[-1:])
    if nullable is not None:
        result = result[:-1]
    parameters = tuple(map(_parameter, split_top(found[2]))) if found[2].strip() else ()
    variadic = any(p.repeated for p in parameters)
    return Signature(found[1], parameters, result.strip(), nullable, writer, variadic=variadic, **facts)


def _parameter(text: str) -> Parameter:
    text, _, default = (part.strip() for part in text.partition("="))
    name, _, typed = (part.strip() for part in text.rpartition(":"))
    typed, literal = (typed.removesuffix(" literal"), typed.endswith(" literal"))
    at_least_one = typed.endswith("...+")
    typed = typed.removesuffix("+") if at_least_one else typed
    repeated = typed.endswith("...")
    typed = typed.removesuffix("...")
    null_passes = typed.endswith("?")
    typed = typed.removesuffix("?")
    return Parameter(tuple(split_top(typed, "|")), null_passes, default or None, repeated, at_least_one, literal, name)


def split_top(text: str, separator: str = ",") -> list[str]:
    """Splits at separators outside brackets."""
    parts, depth, last = [], 0, 0
    for position, character in enumerate(text):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == separator and depth == 0:
            parts.append(text[last:position].strip())
            last = position + 1
    return [*parts, text[last:].strip()]
