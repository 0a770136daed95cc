"""What Spark tells of its own functions, read from the annotations in its jar: usage, arguments, examples."""

import re
import struct
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from twinspark.errors import common_utils_jar

REGISTRY = "org.apache.spark.sql.catalyst.analysis.FunctionRegistry$"
CAST = "org.apache.spark.sql.catalyst.expressions.Cast"
# How the texts start that only the registry has.
REGISTERED = {"!=": "expr1 != ", "<>": "expr1 <> ", "||": "expr1 || ", "case": "CASE expr1"}
STRUCT = "org.apache.spark.sql.catalyst.expressions.CreateStruct$"
ANNOTATION = "Lorg/apache/spark/sql/catalyst/expressions/ExpressionDescription;"
# Bytes behind the tag of a constant, by the tag; 1 is text, 5 and 6 take two places (The Java VM Specification, 4.4).
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


class ClassFile:
    """As much of a class file as leads to its annotations."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 8
        self.texts = dict(self._constants())
        self._at += 6
        self._at += 2 + 2 * self._peek()
        self._skip_members()
        self._skip_members()

    def annotation(self) -> dict[str, str]:
        """The texts of ExpressionDescription, by their names; nothing where the class has none."""
        for _ in range(self._short()):
            name, length = self.texts.get(self._short(), ""), self._int()
            end = self._at + length
            if name == "RuntimeVisibleAnnotations":
                for _ in range(self._short()):
                    kind, told = self._one_annotation()
                    if kind == ANNOTATION:
                        return told
            self._at = end
        return {}

    def _one_annotation(self) -> tuple[str, dict[str, str]]:
        kind = self.texts.get(self._short(), "")
        told = {}
        for _ in range(self._short()):
            name = self.texts[self._short()]
            told[name] = self._value()
        return kind, told

    def _value(self) -> str:
        tag = chr(self._data[self._at])
        self._at += 1
        if tag == "e":
            self._at += 4
            return ""
        if tag == "[":
            return "".join(self._value() for _ in range(self._short()))
        return self.texts.get(self._short(), "")

    def _constants(self) -> Iterator[tuple[int, str]]:
        count, index = self._short(), 1
        while index < count:
            tag = self._data[self._at]
            self._at += 1
            if tag == 1:
                length = self._short()
                yield index, self._data[self._at : self._at + length].decode("utf-8", "replace")
                self._at += length
            else:
                self._at += SIZES[tag]
            index += 2 if tag in (5, 6) else 1

    def _skip_members(self) -> None:
        for _ in range(self._short()):
            self._at += 6
            for _ in range(self._short()):
                self._at += 2
                length = self._int()
                self._at += length

    def _peek(self) -> int:
        return int(struct.unpack_from(">H", self._data, self._at)[0])

    def _short(self) -> int:
        found = self._peek()
        self._at += 2
        return found

    def _int(self) -> int:
        found = int(struct.unpack_from(">I", self._data, self._at)[0])
        self._at += 4
        return found


@cache
def classes() -> dict[str, str]:
    """Which class makes which function, as spark.catalog.listFunctions tells it."""
    return {name: class_name for name, class_name, _ in lines()}


@cache
def versions() -> dict[str, str]:
    """Since when a function is there: an alias may be younger than its class."""
    return {name: since for name, _, since in lines()}


@cache
def lines() -> list[list[str]]:
    text = files("twinspark.functions").joinpath("spark_function_classes.txt").read_text()
    return [line.split("\t") for line in text.splitlines()]


@cache
def catalyst_jar() -> zipfile.ZipFile:
    return zipfile.ZipFile(next(common_utils_jar().parent.glob("spark-catalyst_*.jar")))


def class_file(name: str) -> ClassFile:
    return ClassFile(catalyst_jar().read(name.replace(".", "/") + ".class"))


@cache
def described(class_name: str) -> dict[str, str]:
    return class_file(class_name).annotation()


@cache
def constant_in(class_name: str, start: str) -> str:
    """A few functions and operators have no annotation of their own: the code that registers them has their texts."""
    return next(text for text in class_file(class_name).texts.values() if start in text)


def usage(name: str) -> str:
    """The function's own name stands where the text says _FUNC_."""
    if name in REGISTERED:
        told = constant_in(REGISTRY, REGISTERED[name])
    elif name == "struct":
        told = constant_in(STRUCT, "_FUNC_(col1")
    elif is_cast(name):
        told = constant_in(REGISTRY, "_FUNC_(expr) - Casts")
    else:
        told = described(classes()[name]).get("usage", "")
    return told.replace("_FUNC_", name) or "N/A."


def is_cast(name: str) -> bool:
    return classes()[name] == CAST and name != "cast"


def extended(name: str) -> str:
    """Arguments, examples, note and version, put together as ExpressionInfo does."""
    told, since = annotations(name), versions()[name]
    shown = told.get("arguments", "") + told.get("examples", "")
    text = "".join([
        shown or "\n    No example/argument for _FUNC_.\n",
        f"\n    Note:\n      {told['note'].strip()}\n" if told.get("note") else "",
        f"\n    Since: {since}\n" if since else "",
        f"\n    Deprecated:\n      {told['deprecated'].strip()}\n" if told.get("deprecated") else "",
    ])  # fmt: skip
    return text.replace("_FUNC_", name)


def annotations(name: str) -> dict[str, str]:
    if name == "struct":
        return {"examples": re.sub(r"(?m)^ *\|", "", constant_in(STRUCT, "Examples:"))}  # Scala's stripMargin
    return {} if name in REGISTERED or is_cast(name) else described(classes()[name])


def description(name: str, with_more: bool) -> list[str]:
    """The lines of DESCRIBE FUNCTION."""
    lines = [f"Function: {name}", *([f"Class: {classes()[name]}"] if classes()[name] else []), f"Usage: {usage(name)}"]
    return [*lines, f"Extended Usage:{extended(name)}"] if with_more else lines
