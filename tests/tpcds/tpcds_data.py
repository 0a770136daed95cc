"""TPC-DS: tables as Parquet and query texts, made by DuckDB 1.5's generator in an environment of its own.

usage: tpcds_data.py [SCALE]
DuckDB 2.0 has no such extension yet, hence the second environment. Spark's own variants of the queries are read from a
git copy of apache/spark that SPARK_REPO names; they are not part of this repository.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / ".data" / "tpcds"
PACKAGES = ("duckdb==1.5.5", "duckdb-extension-tpcds==1.5.5")
SPARK_REF = "branch-4.2"
RESOURCES = "sql/core/src/test/resources"
VARIANTS = ("tpcds", "tpcds-v2.7.0")
GENERATE = """
import glob, importlib.util, json, os, sys
import duckdb
scale, target = sys.argv[1:]
(package,) = importlib.util.find_spec("duckdb_extension_tpcds").submodule_search_locations
(extension,) = glob.glob(os.path.join(package, "extensions", "*", "*.duckdb_extension"))
connection = duckdb.connect()
connection.execute(f"LOAD '{extension}'")
connection.execute(f"CALL dsdgen(sf={scale})")
for (table,) in connection.execute("SHOW TABLES").fetchall():
    connection.execute(f"COPY {table} TO '{target}/{table}.parquet' (FORMAT parquet)")
queries = dict(connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall())
with open(f"{target}/queries.json", "w") as file:
    json.dump(queries, file)
"""


def directory(scale: str) -> Path:
    return ROOT / f"sf{scale}"


def is_ready(scale: str) -> bool:
    return (directory(scale) / "queries.json").exists()


def generated(scale: str) -> Path:
    """The directory with one <table>.parquet each, made when it is not there yet."""
    if not is_ready(scale):
        generate(scale, directory(scale))
    return directory(scale)


def generate(scale: str, target: Path) -> None:
    """Into a second directory first, so that an interrupted run leaves no half set behind."""
    unfinished = target.with_name(target.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    subprocess.run([str(interpreter()), "-c", GENERATE, scale, str(unfinished)], check=True)
    shutil.rmtree(target, ignore_errors=True)
    unfinished.rename(target)


def interpreter() -> Path:
    python = ROOT / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ROOT / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python


def tables(scale: str) -> dict[str, Path]:
    return {path.stem: path for path in sorted(directory(scale).glob("*.parquet"))}


def queries(scale: str) -> dict[str, str]:
    """The 99 of the generator, by number; and Spark's own variants, where a copy of Spark is at hand."""
    found = json.loads((directory(scale) / "queries.json").read_text())
    return {f"q{number}": tidy(text) for number, text in found.items()} | variants()


def variants() -> dict[str, str]:
    repository = os.environ.get("SPARK_REPO")
    if not repository:
        return {}
    listed = [(folder, path) for folder in VARIANTS for path in git(repository, "ls-tree", folder)]
    return {
        f"{folder}/{Path(path).stem}": tidy("\n".join(git(repository, "show", path)))
        for folder, path in listed
        if path.endswith(".sql")
    }


def git(repository: str, verb: str, name: str) -> list[str]:
    wanted = ["--name-only", SPARK_REF, f"{RESOURCES}/{name}/"] if verb == "ls-tree" else [f"{SPARK_REF}:{name}"]
    command = ["git", "-C", repository, verb, *wanted]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def tidy(text: str) -> str:
    return text.strip().removesuffix(";").rstrip()


if __name__ == "__main__":
    print(generated(*sys.argv[1:2] or ["0.01"]))
