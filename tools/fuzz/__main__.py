"""`python -m tools.fuzz upper --rows 5000`: random inputs on a real Spark and on our engine; `--all`, `--missing`."""

import argparse
import logging
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

import pyarrow as pa

from tools.cases.connect import Connection, Mode
from tools.fuzz.asking import SEVERAL, Asked
from tools.fuzz.calls import MOST_ROUNDS, Form, Line, forms, functions_in, lines, lines_of
from tools.fuzz.compare import Compared, Comparison
from tools.fuzz.failing import Failing
from tools.fuzz.found import keep
from tools.fuzz.ledger import Tally, missing, native_functions, read_ledger, write_ledger
from tools.fuzz.topics import topic_forms
from tools.replay.server import server
from twinspark.functions import canonical

ORACLE = "sc://localhost:15002"
SHOWN, GROUP, GROUPS = 4, 6, 120  # from 128 groups on Spark sorts them, and their rows come in another order
BATCH = 24
EVERYWHERE = [Mode(ansi=False), Mode()]
MODES = [*EVERYWHERE, Mode(ansi=False, zone="America/Los_Angeles"), Mode(zone="Asia/Kolkata")]


@dataclass(frozen=True)
class Call:
    """A form with its inputs, and the functions it speaks for."""

    form: Form
    functions: set[str]
    asked: Asked


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--all", action="store_true", help="every native function")
    parser.add_argument("--missing", action="store_true", help="name the native functions not passed yet")
    parser.add_argument("--skip", type=int, default=0, help="with --all: how many lines of calls.txt to leave out")
    parser.add_argument("--line", help="only lines of calls.txt that match this regular expression")
    parser.add_argument("--rows", type=int, default=5000, help="inputs for each form of a call and each mode")
    parser.add_argument("--seed", type=int, default=None, help="to repeat a run")
    parser.add_argument("--mode", choices=["ansi", "relaxed"], help="only with ANSI on or off; adds to the ledger")
    parser.add_argument("--rounds", type=int, default=MOST_ROUNDS, help="most forms of a line")
    parser.add_argument("--look", action="store_true", help="write no ledger")
    parser.add_argument("--keep", action="store_true", help="keep some of what differs as recorded cases")
    parser.add_argument("--remote", default=os.environ.get("TWINSPARK_TEST_ORACLE", ORACLE), help="a real Spark 4.2")
    asked = parser.parse_args()
    if asked.missing:
        sys.exit(report_missing())
    logging.getLogger("twinspark").setLevel(logging.CRITICAL)  # what fails is told as a difference
    seed = asked.seed if asked.seed is not None else random.randrange(1 << 30)
    print(f"seed {seed}")
    with server() as ours:
        fuzz = Fuzz(asked, ours, seed)
        found = fuzz.run(asked.functions, lines_wanted(asked))
    sys.exit(1 if found else 0)


def report_missing() -> int:
    found = missing()
    for name, why in sorted(found.items()):
        print(f"{name}\t{why}")
    print(f"{len(native_functions()) - len(found)} of {len(native_functions())} native functions passed")
    return 1 if found else 0


class Fuzz:
    """One run over two servers; what each function came to is written down as soon as it is known."""

    def __init__(self, asked: argparse.Namespace, ours: str, seed: int) -> None:
        self.oracle, self.ours, self.rows, self.seed, self.rounds = asked.remote, ours, asked.rows, seed, asked.rounds
        self.look, self.kept = asked.look, asked.keep
        self.modes = [mode for mode in MODES if asked.mode is None or mode.ansi == (asked.mode == "ansi")]
        self.before = read_ledger() if asked.mode else {}
        self.tallies: dict[str, Tally] = defaultdict(Tally)

    def run(self, functions: list[str], wanted: list[Line]) -> int:
        """Mode by mode; a call's inputs depend on the seed, its line and the mode alone."""
        for mode in self.modes:
            with Connection(self.oracle, mode) as spark, Connection(self.ours, mode) as own:
                comparison = Comparison(spark, own, Failing(mode))
                for batch in batches(self.calls(functions, wanted, mode)):
                    self.compare(comparison, mode, batch)
        return sum(tally.different for tally in self.tallies.values())

    def calls(self, functions: list[str], wanted: list[Line], mode: Mode) -> Iterator[Call]:
        for line in wanted:
            if mode in EVERYWHERE or line.zoned:
                chance = random.Random(f"{self.seed} {line.text} {mode}")
                for form in forms(line, lines().index(line), chance, self.rounds):
                    yield Call(form, functions_in(form.call), inputs(form, self.rows, chance))
        for place, name in enumerate(dict.fromkeys(map(canonical, functions))):
            chance = random.Random(f"{self.seed} {name} {mode}")
            for form in topic_forms(self.oracle, name, place):
                yield Call(form, {name}, inputs(form, self.rows, chance))

    def compare(self, comparison: Comparison, mode: Mode, batch: list[Call]) -> None:
        found = comparison.compare([call.asked for call in batch])
        for call, compared in zip(batch, found, strict=True):
            report(mode, compared)
            self.count(mode, call, compared)
            if compared.differences and self.kept:
                keep(self.oracle, call.asked, dict(call.form.columns), [one.unit for one in compared.differences])
        if not self.look:
            write_ledger({name: self.before.get(name, Tally()) + tally for name, tally in self.tallies.items()})

    def count(self, mode: Mode, call: Call, compared: Compared) -> None:
        ansi, relaxed = (compared.equal, 0) if mode.ansi else (0, compared.equal)
        for name in call.functions:
            self.tallies[name] += Tally(
                ansi, relaxed, compared.errors, len(compared.differences), compared.elsewhere, 1
            )


def lines_wanted(asked: argparse.Namespace) -> list[Line]:
    if asked.line:
        return [line for line in lines() if re.search(asked.line, line.text)]
    if asked.all:
        return list(lines()[asked.skip :])
    return list(dict.fromkeys(line for name in asked.functions for line in lines_of(name)))


def batches(calls: Iterator[Call]) -> Iterator[list[Call]]:
    """Calls of one kind that follow each other; what changes the order of rows for its neighbours stands alone."""
    for (_, lonely), of in groupby(calls, key=lambda call: (call.form.kind, is_lonely(call.form))):
        many = iter(of)
        while batch := list(islice(many, 1 if lonely else BATCH)):
            yield batch


def is_lonely(form: Form) -> bool:
    """A generator, a query, or an aggregate of distinct values: those are grouped first, by hashes."""
    return form.kind in SEVERAL or "DISTINCT" in form.call


def inputs(form: Form, rows: int, chance: random.Random) -> Asked:
    """Groups are the same for every call: calls are asked side by side."""
    grouping = random.Random(rows)
    g = [grouping.randrange(max(1, min(rows // GROUP, GROUPS))) for _ in range(rows)]
    fixed = {"n": pa.array(range(rows), pa.int32()), "g": pa.array(g, pa.int32())}
    table = pa.table(fixed | {name: domain.column(rows, chance) for name, domain in form.columns})
    return Asked(form.kind, (form.call,), {name: domain.kind for name, domain in form.columns}, table)


def report(mode: Mode, compared: Compared) -> None:
    elsewhere = f", {compared.elsewhere} left to Spark" if compared.elsewhere else ""
    types = ", ".join(kind.simpleString() for kind in compared.asked.kinds.values())
    told = f"{compared.equal} equal, {compared.errors} errors, {len(compared.differences)} differ{elsewhere}"
    print(f"{mode}  {compared.asked.call}  ({types}): {told}", flush=True)
    for line in shown(compared):
        print(line, flush=True)


def shown(compared: Compared) -> Iterator[str]:
    for one in compared.differences[:SHOWN]:
        rows = compared.asked.only([one.unit]).rows.drop_columns(["g"]).to_pylist()
        yield f"  {rows}"[:700]
        yield f"    Spark: {one.spark.kind} {one.spark.value} {one.spark.name[:150]}"[:500]
        yield f"    we:    {one.ours.kind} {one.ours.value} {one.ours.name[:150]}"[:500]


if __name__ == "__main__":
    main()
