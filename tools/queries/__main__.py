"""`python -m tools.queries --count 500`: random queries on a real Spark and on our engine, differences shown."""

import argparse
import logging
import os
import random
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from tools.queries.deeper import Deeper
from tools.queries.texts import Texts
from tools.replay.server import server

ORACLE = "sc://localhost:15002"
NOT_NATIVE = "TWINSPARK_NOT_NATIVE"
# Small queries, once each: what costs more than it gives. A difference is asked again of Spark as it is.
PLAIN = {
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
}
QUICK = {
    **PLAIN,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


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
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_TEST_ORACLE", ORACLE), help="a real Spark 4.2")
    parser.add_argument("--ansi", choices=["on", "off"], default="on")
    parser.add_argument("--zone", default="UTC")
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)  # what fails is told as a difference
    seed = asked.seed if asked.seed is not None else random.randrange(1 << 30)
    mode = {
        "spark.sql.ansi.enabled": str(asked.ansi == "on").lower(),
        "spark.sql.session.timeZone": asked.zone,
    }
    with server() as url:
        both = Both(
            session(url, PLAIN | mode), session(asked.remote, QUICK | mode), session(asked.remote, PLAIN | mode)
        )
        outcomes = both.compared(Deeper(seed), asked.count)
    print(
        f"seed {seed} ansi {asked.ansi}: {', '.join(f'{count} {outcome}' for outcome, count in outcomes.most_common())}"
    )
    sys.exit(1 if outcomes["different"] else 0)


def session(url: str, settings: dict[str, str]) -> Any:
    made = SparkSession.builder.remote(url).create()
    for key, value in settings.items():
        made.conf.set(key, value)
    return made


@dataclass(frozen=True)
class Both:
    """Our engine, Spark in haste, and Spark as it is."""

    ours: Any
    quick: Any
    spark: Any

    def compared(self, texts: Texts, count: int) -> Counter[str]:
        sessions = (self.ours, self.quick, self.spark)
        for text, each in product(texts.tables(), sessions):
            each.sql(text)
        outcomes = Counter(self.outcome_of(texts.query()) for _ in range(count))
        for each in sessions:
            each.stop()
        return outcomes

    def outcome_of(self, text: str) -> str:
        own = ask(self.ours, text)
        if own.condition == NOT_NATIVE:
            return "left to Spark"
        if own == ask(self.quick, text):
            return "equal errors" if own.condition else "equal"
        wanted = ask(self.spark, text)
        if own == wanted:
            return "equal errors" if own.condition else "equal"
        print(f"{text}\n    ours:  {own.beside(wanted)}\n    Spark: {wanted.beside(own)}", flush=True)
        return "different"


if __name__ == "__main__":
    main()
