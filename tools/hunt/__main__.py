"""`python -m tools.hunt --only hive,scala --count 500`: foreign queries on a real Spark and on the native engine.

Every text runs with ANSI mode on and off. Spark's answers are cached in .data/hunt, so that a repeated run needs no
Spark. Differences are printed and written to .data/hunt/differences-SOURCE.txt; --count is of scripts of each source.
"""

import argparse
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from tools.hunt import ledger, metamorphic
from tools.hunt.answers import Answer
from tools.hunt.oracle import HASTE, TASKS, Oracle, spark
from tools.hunt.scripts import Script
from tools.hunt.sessions import Server
from tools.hunt.sources import SOURCES, scripts_from
from tools.hunt.verdicts import FINDINGS, ORDER, verdict
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

LOGGED = tuple(word for word in FINDINGS if word != ORDER)
DATA = Path(__file__).parent.parent.parent / ".data" / "hunt"
ANSI = {"ansi": "true", "no ansi": "false"}
OURS = (*TASKS.items(), ("twinspark.tables.provider", "parquet"))


def main() -> None:
    chosen = arguments()
    logging.disable(logging.CRITICAL)  # the client logs every error that it receives
    deadline = time.monotonic() + 60 * chosen.minutes
    with ExitStack() as stack:
        ours = stack.enter_context(native_server())
        if chosen.metamorphic:
            sys.exit(run_metamorphic(ours.url, chosen))
        remote = None if chosen.cached else stack.enter_context(spark(chosen.remote, "2g", DATA / "warehouse"))
        found = {name: hunt(name, chosen, remote, ours.url, deadline) for name in chosen.only.split(",")}
    if chosen.keep:
        ledger.add({name: counts for name, counts in found.items() if counts})
    sys.exit(any(counts[word] for counts in found.values() for word in FINDINGS))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.hunt", description=__doc__)
    parser.add_argument("--only", default=",".join(SOURCES), help="sources, separated by commas")
    parser.add_argument("--count", type=int, default=200, help="scripts of each source")
    parser.add_argument("--seed", type=int, default=1, help="which scripts, and which queries of large ones")
    parser.add_argument("--match", default="", help="only scripts whose name contains this")
    parser.add_argument("--minutes", type=float, default=600, help="no script starts after this time")
    parser.add_argument("--remote", help="a real Spark 4.2 that runs already; otherwise one is started")
    parser.add_argument("--cached", action="store_true", help="only scripts whose answers are cached, without a Spark")
    parser.add_argument(
        "--metamorphic", type=int, default=0, help="rounds of checks that need no Spark, and nothing else"
    )
    parser.add_argument("--keep", action="store_true", help="write the counts to docs/contribute/exactness.md")
    return parser.parse_args()


def run_metamorphic(url: str, chosen: argparse.Namespace) -> bool:
    """Half of the rounds in each mode of ANSI."""
    total = Counter[str]()
    for mode in ANSI.values():
        server = Server(url, {"spark.sql.ansi.enabled": mode})
        counts, different = metamorphic.check(server.session, chosen.seed, chosen.metamorphic // 2)
        total.update(counts)
        for pair in different:
            print(f"=== {pair.name}\n{pair.text}\n  one:   {pair.one.rows[:5]}\n  other: {pair.other.rows[:5]}")
    print(f"metamorphic: {dict(total)}")
    if chosen.keep:
        ledger.add({"metamorphic": total})
    return bool(total["rows"])


class native_server:
    def __enter__(self) -> ConnectServer:
        self.warehouse = tempfile.TemporaryDirectory(prefix="twinspark-hunt-")
        settings = Settings("duckdb", spark_master="local[2]", spark_config=OURS, warehouse=self.warehouse.name)
        self.server = ConnectServer(settings)
        return self.server

    def __exit__(self, *_: object) -> None:
        self.server.stop(grace=1.0)
        self.warehouse.cleanup()


def hunt(source: str, chosen: argparse.Namespace, remote: str | None, url: str, deadline: float) -> Counter[str]:
    """All scripts of one source, in both modes."""
    scripts = choose(source, chosen)
    counts = Counter[str]()
    with (DATA / f"differences-{source}.txt").open("w") as log:
        for number, (script, mode) in enumerate((script, mode) for script in scripts for mode in ANSI):
            if time.monotonic() < deadline:
                counts.update(compare(script, mode, remote, url, log))
            if number % 100 == 99:
                print(f"{source}: {number + 1} of {2 * len(scripts)} runs, {dict(counts)}", flush=True)
    print(f"{source}: {len(scripts)} scripts, {dict(counts)}", flush=True)
    return counts


def choose(source: str, chosen: argparse.Namespace) -> list[Script]:
    DATA.mkdir(parents=True, exist_ok=True)
    every = [one for one in scripts_from(source, chosen.seed, DATA / "tables") if chosen.match in one.name]
    return random.Random(chosen.seed).sample(every, min(chosen.count, len(every)))


def compare(script: Script, mode: str, remote: str | None, url: str, log: IO[str]) -> list[str]:
    """A verdict for every statement; where there are differences, the script runs again on Spark without haste."""
    settings = {"spark.sql.ansi.enabled": ANSI[mode], "spark.sql.session.timeZone": "America/Los_Angeles"}
    words, wanted, answers = list[str](), list[Answer](), list[Answer]()
    for name, more in ((mode, HASTE), (f"{mode} plain", {})):
        oracle = Oracle(DATA / "answers", name, Server(remote, settings | more) if remote else None)
        if (found := oracle.answers(script)) is None:
            return words
        wanted, answers = found, Server(url, settings, native=True).run(script, found)
        words = list(map(verdict, script.statements, wanted, answers))
        if not set(words) & set(LOGGED):
            return words
    for word, statement, theirs, own in zip(words, script.statements, wanted, answers, strict=True):
        if word in LOGGED:
            log.write(difference(f"{script.name} [{mode}] {word}", statement, theirs, own))
            log.flush()
    return words


def difference(title: str, statement: str, theirs: Answer, own: Answer) -> str:
    return f"=== {title}\n{statement}\n  Spark: {shown_beside(theirs, own)}\n  ours:  {shown_beside(own, theirs)}\n"


def shown_beside(one: Answer, other: Answer) -> str:
    """What of this answer the other does not have."""
    if one.is_error:
        return f"{one.condition} {one.detail[:300]!r}"
    if other.is_error or one.schema != other.schema:
        return f"{one.schema[:600]} {one.rows[:3]}"
    rest = list((Counter(one.rows) - Counter(other.rows)).elements())
    return f"{len(one.rows)} rows, of which only here: {rest[:4]}" if rest else f"{one.rows[:6]}"


if __name__ == "__main__":
    main()
