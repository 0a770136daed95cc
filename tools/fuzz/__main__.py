"""`python -m tools.fuzz upper --rows 5000`: random inputs on a real Spark and on our engine."""

import argparse
import logging
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import types as t

from tools.cases.connect import Connection, Mode, ServerError, projection
from tools.cases.files import Section, read_cases, write_cases
from tools.fuzz.compare import Comparison, Difference
from tools.fuzz.literals import literal
from tools.fuzz.shapes import Domain, Shape, domains_of, shapes_of
from tools.record.groups import topic_of
from tools.record.values import record_missing
from tools.replay.server import server

FOUND = Path(__file__).parents[2] / "tests" / "cases" / "found"
ORACLE = "sc://localhost:15002"
VARIANTS, SHOWN, KEPT = 6, 5, 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("function")
    parser.add_argument("--rows", type=int, default=5000, help="inputs for each form of the call and each mode")
    parser.add_argument("--seed", type=int, default=None, help="to repeat a run")
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_ORACLE", ORACLE), help="a real Spark 4.2")
    asked = parser.parse_args()
    logging.getLogger("twinspark").setLevel(logging.CRITICAL)  # what fails is told as a difference
    seed = asked.seed if asked.seed is not None else random.randrange(1 << 30)
    print(f"{asked.function}: seed {seed}")
    with server() as ours:
        found = sum(fuzz(asked.remote, ours, asked.function, asked.rows, seed, mode) for mode in modes())
    sys.exit(1 if found else 0)


def modes() -> list[Mode]:
    return [Mode(), Mode(ansi=False), Mode(zone="America/Los_Angeles")]


def fuzz(oracle: str, ours: str, function: str, rows: int, seed: int, mode: Mode) -> int:
    """How many differing rows were found; they are shown, and some kept as cases."""
    count = 0
    chance = random.Random(f"{seed} {mode}")
    with Connection(oracle, mode) as spark, Connection(ours, mode) as own:
        for shape in shapes_of(function):
            for call, domains in calls_of(spark, shape, domains_of(oracle, shape), chance):
                schema, table = inputs(domains, rows, chance)
                comparison = Comparison(spark, own)
                differences = list(comparison.differences(call, schema, table))
                count += len(differences)
                report(mode, call, comparison, differences, table)
                keep(oracle, call, domains, differences, table)
    return count


def calls_of(
    spark: Connection, shape: Shape, domains: list[Domain | None], chance: random.Random
) -> Iterator[tuple[str, dict[str, Domain]]]:
    """The call on columns; where Spark insists on literals, the call with only the first hole a column, some times."""
    names = [f"a{place}" for place in range(len(domains))]
    columns = {name: domain for name, domain in zip(names, domains, strict=True) if domain is not None}
    if len(columns) == len(names) and accepted(spark, shape.filled(names), columns):
        yield shape.filled(names), columns
    elif domains[0] is not None:
        for _ in range(VARIANTS if len(names) > 1 else 0):
            call = shape.filled(["a0", *(chance.choice(pool) for pool in shape.pools[1:])])
            if accepted(spark, call, {"a0": domains[0]}):
                yield call, {"a0": domains[0]}


def accepted(spark: Connection, call: str, columns: dict[str, Domain]) -> bool:
    try:
        spark.analyze(projection(schema_of(columns), [call]))
    except ServerError:
        return False
    return True


def schema_of(columns: dict[str, Domain]) -> t.StructType:
    return t.StructType([t.StructField(name, domain.kind) for name, domain in columns.items()])


def inputs(columns: dict[str, Domain], rows: int, chance: random.Random) -> tuple[t.StructType, pa.Table]:
    return schema_of(columns), pa.table({name: domain.column(rows, chance) for name, domain in columns.items()})


def report(mode: Mode, call: str, comparison: Comparison, differences: list[Difference], table: pa.Table) -> None:
    elsewhere = f", {comparison.not_native} left to Spark" if comparison.not_native else ""
    print(f"{mode}  {call}: {comparison.rows_compared} rows, {len(differences)} differ{elsewhere}")
    for difference in differences[:SHOWN]:
        print(f"  {table.slice(difference.row, 1).to_pylist()[0]}")
        print(f"    Spark: {difference.spark.kind} {difference.spark.value}")
        print(f"    we:    {difference.ours.kind} {difference.ours.value}")


def keep(oracle: str, call: str, domains: dict[str, Domain], differences: list[Difference], table: pa.Table) -> None:
    """The first differing rows as literal cases, answered by Spark in every mode, in the topic's file of found ones."""
    if not differences:
        return
    path = FOUND / f"{topic_of(call.partition('(')[0])}.txt"
    known = read_cases(path) if path.exists() else {}
    new = [literal_call(call, domains, table.slice(found.row, 1)) for found in differences[:KEPT]]
    expressions = [*known.get(Section(), {}), *new]
    write_cases(path, record_missing(oracle, {"": list(dict.fromkeys(expressions))}, known))


def literal_call(call: str, domains: dict[str, Domain], row: pa.Table) -> str:
    literals = {name: literal(row.column(name)[0].as_py(), domain.kind) for name, domain in domains.items()}
    return re.sub(r"\ba\d+\b", lambda found: literals.get(found[0], found[0]), call)


if __name__ == "__main__":
    main()
