"""One recorded step of a session: a statement or a client call, and what Spark answered."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.storagelevel import StorageLevel

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "scripts").glob("*.sql"))
# What differs from one server to the next, and from one run to the next.
PASSING = (
    (re.compile(r"file:/\S*?/warehouse/\w+/[\w-]+-[0-9a-f-]{36}|file:/\S*?/\w+\.db/\w+"), "<place>"),
    (re.compile(r"file:/[^\s,;)\"'\]]*?/(?=[^/\s]*\.db\b)"), "<warehouse>/"),
    (re.compile(r"file:/[^\s,;)\"'\]]*?warehouse(?=[\s,;)\"'\]]|$)"), "<warehouse>"),
    (re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}"), "<moment>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "<moment>"),
)
TREE = re.compile(r"(SQLSTATE: \w{5}(?:; line \d+ pos \d+)?);\n.*", re.DOTALL)  # behind it stands Spark's plan


def said(spark: Any, text: str) -> str:
    """The words of the error, without the plan and the stack."""
    try:
        spark.sql(text).collect()
    except PySparkException as error:
        return TREE.sub(r"\1", str(error).split("\n\nJVM stacktrace:")[0])
    return "nothing"


GIVEN = {"F": F, "T": T, "StorageLevel": StorageLevel, "said": said}


@dataclass(frozen=True)
class Step:
    """`schema` and `rows` of a statement, `value` of a client call, or `condition` and `parameters`."""

    text: str
    schema: dict[str, Any] | None = None
    rows: list[list[Any]] | None = None
    value: str | None = None
    condition: str | None = None
    parameters: dict[str, str] | None = None
    contexts: list[list[Any]] | None = None

    def line(self) -> str:
        told = {key: value for key, value in asdict(self).items() if value is not None}
        return json.dumps(told, ensure_ascii=False, default=str)


def recorded_file(script: Path) -> Path:
    return HERE / "recorded" / f"{script.stem}.jsonl"


def read_steps(script: Path) -> list[Step]:
    return [Step(**json.loads(line)) for line in recorded_file(script).read_text().splitlines()]


def texts(script: Path) -> Iterator[str]:
    """Statements end with a semicolon at the end of a line; `>>> ` starts a line of Python."""
    written = "\n".join(line for line in script.read_text().splitlines() if not line.startswith("-- "))
    for text in re.split(r";\n|\n(?=>>> )|(?<=\n)(?=>>> )", written + "\n"):
        for each in re.split(r"(?<=\))\n(?!>>> )", text, maxsplit=1) if text.startswith(">>> ") else [text]:
            if each.strip():
                yield each.strip().rstrip(";")


def ask(spark: Any, text: str) -> Step:
    try:
        if text.startswith(">>> "):
            return Step(text, value=plain(repr(eval(text[4:], {"spark": spark, **GIVEN}))))
        answer = spark.sql(text)
        return Step(text, plain_json(answer.schema.jsonValue()), [cells(row) for row in answer.collect()])
    except PySparkException as error:
        told = {k: plain(str(v)) for k, v in (error.getMessageParameters() or {}).items()}
        return Step(text, condition=error.getCondition(), parameters=told, contexts=contexts_of(error))


def contexts_of(error: PySparkException) -> list[list[Any]] | None:
    found = [
        [c.fragment(), c.startIndex(), c.stopIndex()] for c in error.getQueryContext() if c.contextType().name == "SQL"
    ]
    return found or None


def cells(row: Any) -> list[Any]:
    made = [cell(value) for value in row]
    return [made[0], "<user>", *made[2:]] if made and made[0] in ("Owner", "Created By") else made


def cell(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int) else plain(str(value))


def plain(text: str) -> str:
    for pattern, word in PASSING:
        text = pattern.sub(word, text)
    return text


def plain_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
