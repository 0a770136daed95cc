"""`python -m tools.functions`: writes docs/reference/functions.md from the list of functions."""

import argparse
import sys
from pathlib import Path

from tools.functions.syntax import is_native_syntax
from tools.record.groups import TOPICS
from twinspark.functions import SPARK, canonical, overloads
from twinspark.functions.notation.registry import Signature
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "functions.md"
HEADER = """\
# Functions

Every function of Spark 4.2 (`SHOW FUNCTIONS`), and which engine answers it. *duckdb*: the embedded engine, with Spark's
types, nullability, values and errors, held by recorded cases (`make replay FUNCTION=…`). *duckdb, Spark*: some of its
forms fall back to Spark. *Spark*: typed here, answered by Spark. Written by `make functions`; do not edit.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.functions", description=__doc__)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    text = page()
    if not asked.check:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit("docs/reference/functions.md is not what the list of functions says: run `make functions`")
    print(summary())


def page() -> str:
    sections = [section(topic, placed(topic)) for topic in sorted(TOPICS)]
    return "\n".join([HEADER, f"{summary()}\n", *sections])


def summary() -> str:
    native = [name for name in SPARK_FUNCTIONS if engine_of(name).startswith("duckdb")]
    return f"{len(native)} of {len(SPARK_FUNCTIONS)} functions are answered by the embedded engine."


def placed(topic: str) -> list[str]:
    return sorted(name for name in TOPICS[topic].split() if name in SPARK_FUNCTIONS)


def section(topic: str, names: list[str]) -> str:
    title = topic.replace("_", ", ")
    rows = [f"| `{shown(name)}` | {engine_of(name)} | {notes(name)} |" for name in names]
    return "\n".join([f"## {title}", "", "| function | engine | notes |", "|---|---|---|", *rows, ""])


def shown(name: str) -> str:
    return name.replace("|", "\\|")


def engine_of(name: str) -> str:
    answered = {is_native(signature) for signature in overloads(name)}
    if not any(answered) and is_native_syntax(name):
        return "duckdb, Spark" if answered else "duckdb"
    return {frozenset({True}): "duckdb", frozenset({True, False}): "duckdb, Spark"}.get(frozenset(answered), "Spark")


def is_native(signature: Signature) -> bool:
    return signature.writer is not SPARK


def notes(name: str) -> str:
    """The name it is an alias of, and why what goes to Spark does."""
    alias = [f"as `{shown(canonical(name))}`"] if canonical(name) != name else []
    causes = [signature.cause for signature in overloads(name) if not is_native(signature) and signature.cause]
    return "; ".join(dict.fromkeys(alias + [cause.detail or cause.reason.sentence for cause in causes]))


if __name__ == "__main__":
    main()
