"""Spark's error conditions, raised by name; texts and SQLSTATEs are those of the installed PySpark's own jar."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NEAR = 32  # so much text around a fragment is shown


@dataclass(frozen=True)
class QueryContext:
    """The fragment of the user's SQL or code that an error points at, as Spark reports it."""

    fragment: str = ""
    start_index: int = -1
    stop_index: int = -1
    object_type: str = ""
    object_name: str = ""
    call_site: str = ""
    is_dataframe: bool = False
    text: str = field(default="", compare=False, repr=False)  # the whole statement, where it is known
    has_line: bool = True  # a parameter's line is not kept

    @property
    def summary(self) -> str:
        """As Spark draws it under the error."""
        if self.is_dataframe:
            return f'== DataFrame ==\n"{self.fragment}" was called from\n{self.call_site}\n'
        return "".join(f"{line}\n" for line in self.drawn()) if self.text and self.stop_index >= 0 else ""

    @property
    def place(self) -> tuple[int, int] | None:
        """The line, counted from 1, and the place in it, from 0; of SQL whose text is known."""
        if self.is_dataframe or not self.text or self.start_index < 0 or not self.has_line:
            return None
        start = self.start_index
        return self.text.count("\n", 0, start) + 1, start - self.text.rfind("\n", 0, start) - 1

    def drawn(self) -> Iterator[str]:
        """The lines that hold the fragment, each with carets under it; far text is cut (SQLQueryContext.summary)."""
        yield f"== SQL (line {self.place[0]}, position {self.place[1] + 1}) ==" if self.place else "== SQL =="
        first = max(self.text.rfind("\n", 0, self.start_index) + 1, 0)
        last = self.text.find("\n", self.stop_index)
        last = len(self.text) if last < 0 else last
        cut_before, cut_after = self.start_index - first >= NEAR, last - self.stop_index > NEAR
        first = self.start_index - NEAR if cut_before else first
        last = self.stop_index + NEAR + 1 if cut_after else last
        shown = ("..." if cut_before else "") + self.text[first:last] + ("..." if cut_after else "")
        place = first - (3 if cut_before else 0)
        for each in shown.split("\n"):
            yield each
            places = range(place, place + len(each))
            yield "".join(" " if i < self.start_index else "^" for i in places if i <= self.stop_index)
            place += len(each) + 1


class SparkError(Exception):
    """An error in Spark's own terms; the door turns it into what a Spark server would have sent.

    `exception` is the Java class where the condition alone does not tell it; of an error that is not sure some words
    may be Spark's otherwise; one without a place is met when Spark has forgotten where in the program that was."""

    exception: str | None = None
    is_sure = True
    has_place = True

    def __init__(self, condition: str, /, *, contexts: tuple[QueryContext, ...] = (), **parameters: object) -> None:
        self.condition = condition
        self.parameters = {name: str(value) for name, value in parameters.items()}
        self.contexts = contexts
        super().__init__(message_of(condition, self.parameters))

    @property
    def sqlstate(self) -> str:
        return sqlstate_of(self.condition)


class JavaError(Exception):
    """An exception of a library of Spark's that Spark passes on as it is: it has a class and a text, no condition."""

    def __init__(self, java_class: str, message: str) -> None:
        self.java_class = java_class
        super().__init__(message)


class NotNative(Exception):
    """The native engine cannot answer this exactly as Spark would: the plan goes to Spark. Says why, in words.

    `nearest` is an error of which not every word is known; it is told only where there is no Spark to ask.
    """

    def __init__(self, reason: str, nearest: SparkError | JavaError | None = None) -> None:
        self.reason = reason
        self.nearest = nearest
        super().__init__(reason)


class FilesAsked(NotNative):
    """A name that may be the hidden column of files: the plan is read again, with that column in its scans."""

    def __init__(self) -> None:
        super().__init__("the metadata column of files")


def message_of(condition: str, parameters: dict[str, str]) -> str:
    """`[CONDITION] text`, with SQLSTATE at the end, as SparkThrowableHelper.getMessage writes it; conditions that have
    no name yet are not shown."""
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
    with zipfile.ZipFile(common_utils_jar()) as jar:
        found: dict[str, Any] = json.loads(jar.read("error/error-conditions.json"))
    return found


def common_utils_jar() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return next((Path(spec.origin).parent / "jars").glob("spark-common-utils_*.jar"))
