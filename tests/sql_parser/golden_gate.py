"""Our parser against Spark's own golden files: every statement Spark's parser took, and every one it refused.

usage: SUITE_SRC=<Apache Spark's source> golden_gate.py [PATTERN]
Prints the counts, and each statement that is read otherwise than in Spark. SUITE_SRC holds sql/core/src/test/resources.
"""

import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinspark.errors import NotNative
from twinspark.read.sql import ParseError, ParserConfig, parse_statement

TESTS = Path(os.environ.get("SUITE_SRC", ".")) / "sql/core/src/test/resources/sql-tests"
SUITE_SETTINGS = {
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.collation.schemaLevel.enabled": "true",
}
BY_DIRECTORY = {
    "postgreSQL": {"spark.sql.legacy.interval.enabled": "true"},
    "nonansi": {"spark.sql.ansi.enabled": "false"},
    "timestampNTZ": {"spark.sql.timestampType": "TIMESTAMP_NTZ"},
}
SET = re.compile(r"set\s+(?:hivevar:)?([\w.]+)\s*=\s*([^\s;]+)\s*;?", re.IGNORECASE)
ERROR = re.compile(r"(?:org|java|scala)\.[\w.$]+(?:Exception|Error)$")


@dataclass
class Answer:
    """What the golden file says to one statement; `exception` is empty when it ran."""

    exception: str
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def condition(self) -> str:
        return str(self.details.get("errorClass", ""))

    def is_parser_error(self) -> bool:
        """Errors of a text given to EXECUTE IMMEDIATE are not errors of the statement."""
        inner = any(
            context.get("objectType") == "EXECUTE IMMEDIATE" for context in self.details.get("queryContext", [])
        )
        return self.exception == "ParseException" and not inner


def settings_of(name: str) -> dict[str, str]:
    settings = {**SUITE_SETTINGS, **BY_DIRECTORY.get(name.split("/")[0], {})}
    for line in (TESTS / "inputs" / name).read_text().split("\n"):
        if line.startswith("--SET "):
            settings |= {
                key.strip(): value.strip() for key, _, value in (s.partition("=") for s in line[6:].split(","))
            }
    return settings


def statements_of(name: str) -> list[tuple[str, Answer]]:
    with (TESTS / "results" / f"{name}.out").open(newline="") as file:
        parts = re.split(r"-- !query.*\n", file.read())[1:]
    blocks = [parts[i : i + 3] for i in range(0, len(parts) - 2, 3)]
    return [(text.strip(), answer_of(schema.strip(), output)) for text, schema, output in blocks]


def answer_of(schema: str, output: str) -> Answer:
    first, _, rest = output.partition("\n")
    if schema != "struct<>" or not ERROR.match(first):
        return Answer("")
    try:
        details = json.loads(rest)
    except ValueError:
        details = {}
    return Answer(first.rpartition(".")[2], details)


def verdict(text: str, answer: Answer, config: ParserConfig) -> str:
    try:
        parse_statement(text, config)
    except NotNative:
        return "left to Spark"
    except ParseError as error:
        return judged(error, answer)
    return "WRONGLY ACCEPTED" if answer.is_parser_error() else "accepted"


def judged(error: ParseError, answer: Answer) -> str:
    if error.condition != answer.condition or error.exception != answer.exception:
        return "OTHER CONDITION" if answer.is_parser_error() else "WRONGLY REJECTED"
    told = [(context.start_index + 1, context.stop_index + 1) for context in error.contexts]
    wanted = [(c["startIndex"], c["stopIndex"]) for c in answer.details.get("queryContext", [])]
    exact = error.parameters == answer.details.get("messageParameters", {}) and told == wanted
    return "same condition, parameters and context" if exact else "same condition"


def main() -> None:
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    results = TESTS / "results"
    names = sorted(str(path.relative_to(results))[: -len(".out")] for path in results.rglob("*.sql.out"))
    counts: Counter[str] = Counter()
    for name in (name for name in names if pattern in name):
        settings = settings_of(name)
        for text, answer in statements_of(name):
            found = verdict(text, answer, ParserConfig.of(settings))
            counts[found] += 1
            if found.isupper():
                print(f"{found}: {name}: {text[:200]!r} {answer.condition}")
            if setting := SET.fullmatch(text):
                settings[setting[1]] = setting[2]
    print(", ".join(f"{count} {found}" for found, count in counts.most_common()))


if __name__ == "__main__":
    main()
