"""Spark's answers to TPC-H at scale 0.01, as text.  usage: tpch_answers.py sc://spark (records them again)"""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql.types import StructType

HERE = Path(__file__).resolve().parent
SCALE = "0.01"
Text = tuple[Any, ...]


def as_text(row: tuple[Any, ...]) -> Text:
    """Decimals keep their zeros, dates their form; numbers and nulls stay what they are."""
    return tuple(value if value is None or isinstance(value, int) else str(value) for value in row)


def recorded(form: str) -> dict[int, tuple[StructType, list[Text]]]:
    """Schema and rows of each query."""
    answers = json.loads((HERE / f"answers_{form}.json").read_text())
    return {
        int(number): (StructType.fromJson(answer["schema"]), [tuple(row) for row in answer["rows"]])
        for number, answer in answers.items()
    }


def record(url: str) -> None:
    """One line per query, so that a changed answer is one line of a diff."""
    sys.path.insert(0, str(HERE.parents[1] / "bench"))
    import data
    import tpch_sql
    from tpch_compare import FORMS, connect

    client = connect(url, data.tpch(SCALE))
    for form in FORMS:
        lines = []
        for number in tpch_sql.QUERIES:
            answer = client.answer(form, number)
            content = {"schema": answer.schema.jsonValue(), "rows": [as_text(row) for row in answer.rows]}
            lines.append(f'"{number}": {json.dumps(content)}')
        (HERE / f"answers_{form}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    record(sys.argv[1])
