"""Every exception class that the reader names for an error is one whose superclasses are known: without them no client
would receive the error."""

import ast
from collections.abc import Iterator
from pathlib import Path

import twinspark
from twinspark.doors.connect.throwables import QUALIFIED, thrown_with

SOURCES = Path(twinspark.__file__).parent


def exception_names(tree: ast.AST) -> Iterator[str]:
    """The second argument of `defer_plain_error`, and the argument `exception` of any call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = [each.value for each in node.keywords if each.arg == "exception"]
            is_deferred = isinstance(node.func, ast.Attribute) and node.func.attr == "defer_plain_error"
            given = [*named, *(node.args[1:2] if is_deferred else [])]
            yield from (each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str))


def test_the_classes_of_errors_are_known() -> None:
    named = {name for path in SOURCES.rglob("*.py") for name in exception_names(ast.parse(path.read_text()))}
    assert "SparkArithmeticException" in named
    assert not named - QUALIFIED.keys()
    assert not set(thrown_with().values()) - QUALIFIED.keys()
