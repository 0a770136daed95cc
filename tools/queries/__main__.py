"""`python -m tools.queries --count 500`: random queries on a real Spark and on our engine, differences shown."""

import argparse
import logging
import os
import random
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from tools.queries.texts import Texts
from tools.replay.server import server

ORACLE = "sc://localhost:15002"
NOT_NATIVE = "TWINSPARK_NOT_NATIVE"


@dataclass(frozen=True)
class Answer:
    """Rows in one order, or the condition of an error."""

    schema: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    condition: str = ""

    def beside(self, other: "Answer") -> str:
        """What of this one the other does not have."""
        if self.condition or self.schema != other.schema or other.condition:
            return self.condition or self.schema
        return "; ".join(map(str, [row for row in self.rows if row not in other.rows][:3])) or f"{len(self.rows)} rows"


def ask(spark: Any, text: str) -> Answer:
    try:
        frame = spark.sql(text)
        rows = sorted(tuple(map(repr, row)) for row in frame.collect())
        return Answer(schema=frame.schema.json(), rows=tuple(rows))
    except PySparkException as error:
        return Answer(condition=error.getCondition() or type(error).__name__)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.queries", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="to repeat a run")
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_ORACLE", ORACLE), help="a real Spark 4.2")
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)  # what fails is told as a difference
    seed = asked.seed if asked.seed is not None else random.randrange(1 << 30)
    with server() as url:
        outcomes = compared(session(url), session(asked.remote), Texts(seed), asked.count)
    print(f"seed {seed}: {', '.join(f'{count} {outcome}' for outcome, count in outcomes.most_common())}")
    sys.exit(1 if outcomes["different"] else 0)


def session(url: str) -> Any:
    return SparkSession.builder.remote(url).create()


def compared(ours: Any, spark: Any, texts: Texts, count: int) -> Counter[str]:
    for text in texts.tables():
        ours.sql(text), spark.sql(text)
    outcomes = Counter(outcome_of(ours, spark, texts.query()) for _ in range(count))
    ours.stop(), spark.stop()
    return outcomes


def outcome_of(ours: Any, spark: Any, text: str) -> str:
    own = ask(ours, text)
    if own.condition == NOT_NATIVE:
        return "left to Spark"
    wanted = ask(spark, text)
    if own == wanted:
        return "equal errors" if own.condition else "equal"
    print(f"{text}\n    ours:  {own.beside(wanted)}\n    Spark: {wanted.beside(own)}", flush=True)
    return "different"


if __name__ == "__main__":
    main()
