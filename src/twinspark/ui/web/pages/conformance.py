"""How Spark's own test suites pass on this version; the numbers come with the package."""

import json
from importlib.resources import files
from typing import Any

from twinspark.ui.web.html import table, tag
from twinspark.ui.web.layout import fold
from twinspark.ui.web.messages import Response
from twinspark.ui.web.view import View

FILE = "conformance.json"  # written by conformance/report.py
SENTENCE = (
    "Only cases that pass on Apache Spark 4.2.1 count. The engine auto uses both engines; duckdb never starts a JVM, "
    "so its count is what the embedded engine answers by itself."
)
HEADINGS = ("", "auto", "duckdb")


def show(view: View) -> Response:
    found: dict[str, Any] = json.loads((files("twinspark.ui.web") / FILE).read_text())
    parts = [fold(name, table(HEADINGS, rows, name)) for name, rows in found["parts"].items()]
    suites = table(("Suite", "auto", "duckdb"), found["suites"], "Suites")
    return view.page("Conformance", [tag("p", SENTENCE, class_="note"), suites, parts], "/conformance")
