"""`make demo`: one PySpark program on the embedded engine and on Apache Spark, timed and compared.

usage: run.py [--native-remote sc://…] [--spark-remote sc://…]     (by default twinspark starts both engines)
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from outcome import first_difference
from rich.console import Console
from rich.table import Table
from shop import generate

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / ".data" / "demo"
TIMINGS = re.compile(r"^seconds: connect ([\d.]+) work ([\d.]+)$", re.MULTILINE)
console = Console()


@dataclass(frozen=True)
class Run:
    """One run of the program: what it printed, and its seconds."""

    text: str
    work: float
    total: float

    @property
    def start_up(self) -> float:
        """Everything but the program's own work: interpreter, server, first connection, the end."""
        return self.total - self.work


def run(engine: str, remote: str | None) -> Run:
    """The program in a process of its own, on an engine that twinspark starts, or on a server that runs already."""
    target = DATA / "output" / engine
    shutil.rmtree(target, ignore_errors=True)
    program = [str(HERE / "pipeline.py"), str(DATA / "input"), str(target)]
    starter = [sys.executable] if remote else [sys.executable, "-m", "twinspark", "run", "--engine", engine]
    environment = {**os.environ, **({"SPARK_REMOTE": remote} if remote else {})}
    started = time.perf_counter()
    with console.status(f"{' '.join(starter[1:] or ['python'])} demo/pipeline.py on {remote or engine}"):
        done = subprocess.run([*starter, *program], env=environment, capture_output=True, text=True, check=False)
    return finished_run(done, time.perf_counter() - started)


def finished_run(done: subprocess.CompletedProcess[str], total: float) -> Run:
    """Its timings stand on stderr; a program that failed ends the demo with its own words."""
    timings = TIMINGS.search(done.stderr)
    if done.returncode or not timings:
        console.print(done.stdout, done.stderr, sep="\n", markup=False, highlight=False)
        sys.exit(f"demo/pipeline.py failed with exit code {done.returncode}")
    return Run(done.stdout, float(timings[2]), total)


def timing_table(native: Run, spark: Run) -> Table:
    """Both runs side by side."""
    table = Table(title="the same PySpark program, seconds")
    for heading in ("", "embedded DuckDB", "Apache Spark", "faster by"):
        table.add_column(heading, justify="right")
    for label, ours, theirs in (
        ("the program's work", native.work, spark.work),
        ("start-up and end", native.start_up, spark.start_up),
        ("all together", native.total, spark.total),
    ):
        table.add_row(label, f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.1f}x")
    return table


def arguments() -> argparse.Namespace:
    """The servers to use instead of those that twinspark would start."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--native-remote")
    parser.add_argument("--spark-remote")
    return parser.parse_args()


def main() -> None:
    """Generate, run twice, show, judge."""
    chosen = arguments()
    generate(DATA / "input")
    native = run("duckdb", chosen.native_remote)
    console.print(native.text, markup=False, highlight=False)
    spark = run("spark", chosen.spark_remote)
    console.print(timing_table(native, spark))
    difference = first_difference(native.text, spark.text, DATA / "output" / "duckdb", DATA / "output" / "spark")
    if difference:
        console.print("[bold red]different:[/]", end=" ")
        console.print(difference, markup=False)
        sys.exit(1)
    console.print(
        "[bold green]identical:[/] schemas with nullability, printed rows and every row of every written file"
    )


if __name__ == "__main__":
    main()
