"""Writes down what the server needs to know of Spark's own jars, so that it runs where no jars are installed.

python -m tools.spark_jar
"""

import json
import re
import struct
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from twinspark.functions.notation.descriptions import CAST, classes

PACKAGE = Path(__file__).parent.parent / "src" / "twinspark"
REGISTRY = "org.apache.spark.sql.catalyst.analysis.FunctionRegistry$"
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
def jar(name: str) -> zipfile.ZipFile:
    """A jar of the installed PySpark; it stays open, since a jar's table of contents is long."""
    found = find_spec("pyspark")
    assert found is not None and found.origin is not None
    return zipfile.ZipFile(next((Path(found.origin).parent / "jars").glob(f"{name}_*.jar")))


def error_conditions() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(jar("spark-common-utils").read("error/error-conditions.json"))
    return found


def spark_build() -> str:
    """Spark's version and revision, as `version()` gives them."""
    lines = jar("spark-common-utils").read("spark-version-info.properties").decode().splitlines()
    facts = dict(line.split("=", 1) for line in lines if "=" in line)
    return f"{facts['version']} {facts['revision']}"


@cache
def class_file(name: str) -> ClassFile:
    return ClassFile(jar("spark-catalyst").read(name.replace(".", "/") + ".class"))


@cache
def annotation(class_name: str) -> dict[str, str]:
    return class_file(class_name).annotation()


def constant_in(class_name: str, start: str) -> str:
    """A few functions and operators have no annotation of their own: the code that registers them has their texts."""
    return next(text for text in class_file(class_name).texts.values() if start in text)


def description(name: str) -> dict[str, str]:
    """What DESCRIBE FUNCTION says of a function; its own name stands where the texts say _FUNC_."""
    if name in REGISTERED:
        return {"usage": constant_in(REGISTRY, REGISTERED[name])}
    if name == "struct":
        examples = re.sub(r"(?m)^ *\|", "", constant_in(STRUCT, "Examples:"))  # Scala's stripMargin
        return {"usage": constant_in(STRUCT, "_FUNC_(col1"), "examples": examples}
    if classes()[name] == CAST and name != "cast":
        return {"usage": constant_in(REGISTRY, "_FUNC_(expr) - Casts")}
    kept = ("usage", "arguments", "examples", "note", "deprecated")
    return {key: text for key, text in annotation(classes()[name]).items() if key in kept and text}


def descriptions() -> dict[str, Any]:
    return {name: description(name) for name in classes()}


def json_lines(entries: dict[str, Any]) -> str:
    """A JSON object with an entry on each line, so that a change of Spark's is a change of lines."""
    lines = (f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def contents() -> dict[Path, str]:
    """The files to write, by their path in the package."""
    return {
        Path("errors/error_conditions.json"): json_lines(error_conditions()),
        Path("functions/notation/function_descriptions.json"): json_lines(descriptions()),
    }


def main() -> None:
    for path, text in contents().items():
        (PACKAGE / path).write_text(text)
        print(f"{path}: {len(text)} characters", file=sys.stderr)


if __name__ == "__main__":
    main()
