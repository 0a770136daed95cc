"""One line per Spark function: Spark's signature on the left, DuckDB's SQL on the right, and the list of them all.

    fn("upper(string) -> string", "upper({0})", "ucase")

The left half, in a small notation:
  string int bigint date …   the argument is implicitly cast to this type (ANSI or not: analysis.coerce)
  numeric integral any …     a family of types: what is of it is taken as it is (FAMILIES)
  string|binary              the first that fits
  T K V                      type variables: all arguments of one variable take their common type
  array<T> map<K,V>          nested, with families or variables inside
  int = 1                    a default for an argument left out (a literal: number, 'text', true, null)
  T...                       any number of them, at least none; `T...+` at least one
  string?                    a null there does not null the result
  string: literal            must be foldable: `string literal`
  -> bigint?   the result may be null anyway        -> bigint!   the result is never null
  -> array<T!> elements never null   -> array<T?> elements may be null   -> array<T> as the first array<T> argument
A Python rule `(Typing) -> None`-like takes the place of the left half when the notation cannot say it.

The right half: a template ({0} {1} … are the arguments' SQL, {args} all, {type} DuckDB's name of the result type), a
Python rule `(call, *arguments) -> str`, or SPARK: typed here, answered by Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any


class _Spark:
    """Not exact natively: the plan goes to Spark."""

    def __repr__(self) -> str:
        return "SPARK"


SPARK = _Spark()

Writer = str | Callable[..., str] | _Spark
Rule = Callable[..., Any]

SCALAR, AGGREGATE, WINDOW, GENERATOR = "scalar", "aggregate", "window", "generator"


@dataclass(frozen=True)
class Parameter:
    """One parameter: alternatives of type notation, whether null passes, a default, repetition."""

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
    nullable: bool | None  # None: null when an argument is
    writer: Writer = field(repr=False)
    kind: str = SCALAR
    rule: Rule | None = None
    reason: str = ""  # why SPARK, in words
    shows: str | None = None  # the name in automatic column names, where it is not the one called
    keeps_alias: bool = False  # the automatic name shows the alias that was called
    shows_defaults: bool = False  # the automatic name shows the defaults of arguments left out
    deterministic: bool = True
    variadic: bool = field(default=False)

    @cached_property
    def needed(self) -> int:
        return sum(p.default is None and (not p.repeated or p.at_least_one) for p in self.parameters)

    def accepts(self, count: int) -> bool:
        if self.rule is not None and not self.parameters:
            return True
        return self.needed <= count and (self.variadic or count <= len(self.parameters))


_lines: dict[str, list[tuple[str, Writer, dict[str, Any]]]] = {}
_aliases: dict[str, str] = {}


def fn(signature: str, writer: Writer, *aliases: str, rule: Rule | None = None, **facts: Any) -> None:
    """Adds a line to the list; a second line of the same name is an overload, tried after the first."""
    name = signature.partition("(")[0].strip()
    _lines.setdefault(name, []).append((signature, writer, {"rule": rule, **facts}))
    for alias in aliases:
        _aliases[alias] = name


@cache
def overloads(name: str) -> tuple[Signature, ...]:
    """The overloads of a function by any of its names; none when Spark has no such function or we have no line."""
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
    """Splits at separators that stand outside brackets."""
    parts, depth, last = [], 0, 0
    for position, character in enumerate(text):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == separator and depth == 0:
            parts.append(text[last:position].strip())
            last = position + 1
    return [*parts, text[last:].strip()]
