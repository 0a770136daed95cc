"""Parses arrays, maps and structs that a server sent as text (JSON, or Hive's similar format) into Arrow arrays.

Only the brackets are parsed value by value; every leaf column is then cast as a whole. Servers that send Arrow do not
need this.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import types as t

from twinspark.driver.errors import DataError
from twinspark.driver.text_values import from_text
from twinspark.types.arrow import arrow_type

Tree = Any  # the text of a leaf, None, a list of trees (array, struct) or a list of pairs (map)
NESTED = (t.ArrayType, t.MapType, t.StructType)
# Values that Hive writes without quotes; a colon ends the key of a map, so types whose text has colons need a pattern.
BARE = re.compile(r"[^,:\]}]+")
WITH_COLONS: dict[type[t.DataType], re.Pattern[str]] = {
    t.TimestampType: re.compile(r"[-+]?\d+-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?"),
    t.TimestampNTZType: re.compile(r"[-+]?\d+-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?"),
    t.DayTimeIntervalType: re.compile(r"-?\d+ \d\d:\d\d:\d\d(?:\.\d+)?"),
    t.TimeType: re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?"),
}


def from_nested_text(texts: pa.Array, kind: t.DataType, zone: str, column: str, hive: bool) -> pa.Array:
    read = hive_tree if hive else json_tree
    trees: list[Tree] = []
    for row, text in enumerate(texts.to_pylist()):
        try:
            trees.append(None if text is None else read(text, kind))
        except ValueError as error:
            name = kind.simpleString()
            raise DataError(f"column {column!r}, row {row}: {text!r} is not a {name}: {error}", "22018") from error
    return array_of(trees, kind, zone, column)


def array_of(trees: Sequence[Tree], kind: t.DataType, zone: str, column: str) -> pa.Array:
    if isinstance(kind, t.ArrayType):
        child = array_of(flat(trees), kind.elementType, zone, column)
        return pa.ListArray.from_arrays(offsets(trees), child, arrow_type(kind, zone), mask=missing(trees))
    if isinstance(kind, t.MapType):
        return map_of(trees, kind, zone, column)
    if isinstance(kind, t.StructType):
        children = [
            array_of([None if tree is None else tree[index] for tree in trees], field.dataType, zone, column)
            for index, field in enumerate(kind.fields)
        ]
        return pa.StructArray.from_arrays(children, fields=list(arrow_type(kind, zone)), mask=missing(trees))
    return from_text(pa.array(trees, pa.string()), kind, zone, column)


def map_of(trees: Sequence[Tree], kind: t.MapType, zone: str, column: str) -> pa.Array:
    pairs = flat(trees)
    keys = array_of([key for key, _ in pairs], kind.keyType, zone, column)
    values = array_of([value for _, value in pairs], kind.valueType, zone, column)
    return pa.MapArray.from_arrays(offsets(trees), keys, values, arrow_type(kind, zone), mask=missing(trees))


def flat(trees: Sequence[Tree]) -> list[Tree]:
    return [child for tree in trees if tree is not None for child in tree]


def offsets(trees: Sequence[Tree]) -> pa.Array:
    counts = [0 if tree is None else len(tree) for tree in trees]
    return pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))


def missing(trees: Sequence[Tree]) -> pa.Array:
    return pa.array([tree is None for tree in trees], pa.bool_())


def json_tree(text: str, kind: t.DataType) -> Tree:
    """Parses JSON; numbers remain text, with all their digits."""
    parsed = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=Pairs)
    return shape_tree(parsed, kind)


class Pairs(list[tuple[str, Any]]):
    """A JSON object as a list of pairs, which keeps the order and duplicate keys."""


def shape_tree(value: Any, kind: t.DataType) -> Tree:
    if value is None:
        return None
    if isinstance(kind, NESTED) and not isinstance(value, list):
        raise ValueError(f"a {kind.typeName()} expected")
    if isinstance(kind, t.ArrayType):
        return [shape_tree(item, kind.elementType) for item in value]
    if isinstance(kind, t.MapType):
        return [(shape_tree(key, kind.keyType), shape_tree(item, kind.valueType)) for key, item in map_pairs(value)]
    if isinstance(kind, t.StructType):
        found = dict(value)
        return [shape_tree(found.get(field.name), field.dataType) for field in kind.fields]
    return leaf(value)


def map_pairs(value: Any) -> list[tuple[Any, Any]]:
    """The entries of a map: of an object, or of a list of {key, value} objects for maps with nested keys."""
    if isinstance(value, Pairs):
        return value
    return [(dict(item).get("key"), dict(item).get("value")) for item in value]


def leaf(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def hive_tree(text: str, kind: t.DataType) -> Tree:
    reader = HiveReader(text)
    tree = reader.value(kind)
    if reader.at != len(text):
        raise ValueError(f"unexpected {text[reader.at : reader.at + 10]!r} at {reader.at}")
    return tree


class HiveReader:
    """Parses Hive's text format: strings are quoted but not escaped, all other values are unquoted."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def value(self, kind: t.DataType) -> Tree:
        if self.text.startswith("null", self.at) and self.text[self.at + 4 : self.at + 5] in ("", ",", ":", "]", "}"):
            self.at += 4
            return None
        if isinstance(kind, t.ArrayType):
            return self.items("[", "]", lambda index: self.value(kind.elementType))
        if isinstance(kind, t.MapType):
            return self.items("{", "}", lambda index: self.entry(kind))
        if isinstance(kind, t.StructType):
            return self.items("{", "}", lambda index: self.member(kind.fields[index]))
        return self.quoted_string() if isinstance(kind, t.StringType) else self.bare(kind)

    def items(self, start: str, end: str, item: Callable[[int], Tree]) -> list[Tree]:
        self.expect(start)
        found: list[Tree] = []
        while not self.text.startswith(end, self.at):
            if found:
                self.expect(",")
            found.append(item(len(found)))
        self.expect(end)
        return found

    def entry(self, kind: t.MapType) -> tuple[Tree, Tree]:
        key = self.value(kind.keyType)
        self.expect(":")
        return key, self.value(kind.valueType)

    def member(self, field: t.StructField) -> Tree:
        self.expect(f'"{field.name}":')
        return self.value(field.dataType)

    def quoted_string(self) -> str:
        """Ends at the first quote before a separator; a string that contains such a pair is cut there, which Hive's
        format does not allow to detect."""
        self.expect('"')
        end = re.compile(r'"(?=[,:\]}]|$)').search(self.text, self.at)
        if end is None:
            raise ValueError("a string without end")
        found = self.text[self.at : end.start()]
        self.at = end.end()
        return found

    def bare(self, kind: t.DataType) -> str:
        if isinstance(kind, t.BinaryType):
            raise ValueError("binary inside a complex value has no readable text")
        found = WITH_COLONS.get(type(kind), BARE).match(self.text, self.at)
        if found is None:
            raise ValueError(f"a {kind.simpleString()} expected at {self.at}")
        self.at = found.end()
        return found[0]

    def expect(self, text: str) -> None:
        if not self.text.startswith(text, self.at):
            raise ValueError(f"{text!r} expected at {self.at}")
        self.at += len(text)
