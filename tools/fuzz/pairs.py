"""`python -m tools.fuzz.pairs`: casts and operators over all pairs of types, on a real Spark and on our engine."""

import argparse
import logging
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tools.cases.connect import Connection, Mode, ServerError, projection
from tools.fuzz.__main__ import BATCH, EVERYWHERE, MODES, ORACLE, inputs, report
from tools.fuzz.asking import Asked
from tools.fuzz.calls import Form, Line, forms
from tools.fuzz.compare import Compared, Comparison
from tools.fuzz.failing import Failing
from tools.replay.run import NOT_NATIVE
from tools.replay.server import server

# A type that no column can be made of is made of another column.
OPERANDS = {
    **{
        name: f"{{{name}}}"
        for name in [
            "boolean",
            "tinyint",
            "smallint",
            "int",
            "bigint",
            "float",
            "double",
            "decimal(5,2)",
            "decimal(10,0)",
            "decimal(18,6)",
            "decimal(38,10)",
            "decimal(38,0)",
            "decimal(7,7)",
            "decimal(38,38)",
            "binary",
            "date",
            "timestamp",
            "timestamp_ntz",
            "time(6)",
            "array<int>",
            "array<string>",
            "map<string,int>",
            "struct<x:int,y:string>",
        ]
    },
    "string of a number": "{string:number}",
    "string of a date": "{string:date}",
    "string of a timestamp": "{string:timestamp}",
    "string of an interval": "{string:interval}",
    "string of a time": "{string:clock}",
    "string": "{string}",
    "interval day to second": "{interval day to second}",
    "interval hour to minute": "CAST({int:days} AS INTERVAL HOUR TO MINUTE)",
    "interval year to month": "make_ym_interval({int:index}, {int:months})",
    "interval year": "CAST({int:months} AS INTERVAL YEAR)",
    "interval": "make_interval({int:index}, {int:months}, 0, {int:days})",
    "variant": "try_parse_json({string:json})",
    "void": "NULL",
}
TARGETS = [
    *[
        "boolean",
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "decimal(5,2)",
        "decimal(10,0)",
        "decimal(18,6)",
        "decimal(38,10)",
        "decimal(38,0)",
        "decimal(7,7)",
        "decimal(38,38)",
        "string",
        "binary",
        "date",
        "timestamp",
        "timestamp_ntz",
        "time(6)",
        "time(0)",
        "variant",
        "array<int>",
        "array<string>",
        "map<string,int>",
        "struct<x:int,y:string>",
    ],
    "interval day to second",
    "interval hour to minute",
    "interval second",
    "interval year to month",
    "interval year",
    "interval",
]
FEWER = [  # of operators: pairs of them are many
    "boolean",
    "tinyint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(5,2)",
    "decimal(10,0)",
    "decimal(38,10)",
    "string of a number",
    "string",
    "binary",
    "date",
    "timestamp",
    "timestamp_ntz",
    "time(6)",
    "array<int>",
    "map<string,int>",
    "struct<x:int,y:string>",
    "interval day to second",
    "interval year to month",
    "interval",
    "variant",
    "void",
]
CASTS = ["CAST({0} AS {1})", "TRY_CAST({0} AS {1})"]
OPERATORS = [
    *(
        f"{{0}} {sign} {{1}}"
        for sign in [
            "+",
            "-",
            "*",
            "/",
            "%",
            "div",
            "&",
            "|",
            "^",
            "<<",
            ">>",
            ">>>",
            "=",
            "<=>",
            "<",
            ">=",
            "!=",
            "||",
            "AND",
            "OR",
            "LIKE",
        ]
    ),
    "{0} IN ({1})",
    "coalesce({0}, {1})",
    "if({0} IS NULL, {1}, {0})",
    "nullif({0}, {1})",
    "nvl2({0}, {0}, {1})",
    "greatest({0}, {1})",
    "least({0}, {1})",
    "array({0}, {1})",
    "pmod({0}, {1})",
    *(f"try_{name}({{0}}, {{1}})" for name in ("add", "subtract", "multiply", "divide", "mod")),
]
ROWS = 300


@dataclass(frozen=True)
class Pair:
    """One call of two types."""

    text: str
    form: Form

    @property
    def zoned(self) -> bool:
        return bool(re.search(r"timestamp", self.text))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz.pairs", description=__doc__)
    parser.add_argument("--only", default="", help="calls that match this regular expression")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--mode", choices=["ansi", "relaxed", "zone"])
    parser.add_argument("--refusals", action="store_true", help="ask Spark too about what our analysis refuses")
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_TEST_ORACLE", ORACLE), help="a real Spark 4.2")
    asked = parser.parse_args()
    logging.getLogger("twinspark").setLevel(logging.CRITICAL)
    seed = asked.seed if asked.seed is not None else random.randrange(1 << 30)
    print(f"seed {seed}")
    with server() as ours:
        found = sum(in_mode(mode, asked, ours, seed) for mode in wanted(asked.mode))
    sys.exit(1 if found else 0)


def wanted(name: str | None) -> list[Mode]:
    if name == "zone":
        return [mode for mode in MODES if mode not in EVERYWHERE]
    return [mode for mode in EVERYWHERE if name is None or mode.ansi == (name == "ansi")]


def in_mode(mode: Mode, asked: argparse.Namespace, ours: str, seed: int) -> int:
    """How many calls differ."""
    chance = random.Random(f"{seed} {mode}")
    every = [pair for pair in pairs(chance) if re.search(asked.only, pair.text) and (mode in EVERYWHERE or pair.zoned)]
    with Connection(asked.remote, mode) as spark, Connection(ours, mode) as own:
        told = Told(mode, Comparison(spark, own, Failing(mode)), asked.rows, asked.refusals, chance)
        for place in range(0, len(every), BATCH):
            told.batch(every[place : place + BATCH])
    print(f"{mode}: {dict(told.counts)}", flush=True)
    return told.counts["differ"]


def pairs(chance: random.Random) -> Iterator[Pair]:
    few = [OPERANDS[name] for name in FEWER]
    texts = [
        *(cast.format(operand, target) for cast, operand, target in product(CASTS, OPERANDS.values(), TARGETS)),
        *(sign.format(a, b) for sign, a, b in product(OPERATORS, few, few)),
    ]
    for serial, text in enumerate(texts):
        yield from (Pair(text, form) for form in forms(Line("scalar", text), serial, chance, 1))


class Told:
    """Counts, and tells what differs; what both refuse while a call is analysed is compared there."""

    def __init__(self, mode: Mode, comparison: Comparison, rows: int, refusals: bool, chance: random.Random) -> None:
        self.mode, self.comparison, self.rows, self.refusals, self.chance = mode, comparison, rows, refusals, chance
        self.counts: Counter[str] = Counter()

    def batch(self, batch: Sequence[Pair]) -> None:
        asked = [inputs(pair.form, self.rows, self.chance) for pair in batch]
        self.compare([one for one in asked if self.is_analysed(one)])

    def is_analysed(self, asked: Asked) -> bool:
        """By our engine; where it refuses, so must Spark, and for the same reason."""
        own = refused(self.comparison.ours, asked)
        if own is None:
            return True
        if own == NOT_NATIVE:
            self.counts["elsewhere"] += 1
            return False
        self.counts["refused"] += 1
        if self.refusals and (spark := refused(self.comparison.spark, asked)) != own:
            self.counts["differ"] += 1
            print(
                f"{self.mode}  {asked.call}  {types(asked)}: analysed otherwise\n    Spark: {spark}\n    we:    {own}"
            )
        return False

    def compare(self, asked: list[Asked]) -> None:
        if asked:
            for compared in self.comparison.compare(asked):
                self.count(compared)

    def count(self, compared: Compared) -> None:
        self.counts["calls"] += 1
        self.counts["inputs"] += compared.equal
        self.counts["left to Spark"] += compared.elsewhere
        self.counts["differ"] += bool(compared.differences)
        if compared.differences:
            report(self.mode, compared)


def types(asked: Asked) -> str:
    return ", ".join(kind.simpleString() for kind in asked.kinds.values())


def refused(server: Connection, asked: Asked) -> str | None:
    """The condition with which the analysis ends."""
    try:
        server.analyze(projection(asked.schema, [asked.call]))
    except ServerError as error:
        return error.condition
    return None


if __name__ == "__main__":
    main()
