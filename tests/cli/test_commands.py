"""The `twinspark` command as a user types it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from twinspark.spark.launch import free_port

TWINSPARK = [sys.executable, "-m", "twinspark"]


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*TWINSPARK, *words], capture_output=True, text=True, timeout=120, check=False)


def test_version_and_help() -> None:
    assert "Spark 4.2.1" in run("--version").stdout
    assert "twinspark run pipeline.py" in run("--help").stdout


def test_doctor_finds_both_engines() -> None:
    told = run("doctor")
    assert told.returncode == 0
    assert "Java" in told.stdout and "DuckDB" in told.stdout


def test_explain_shows_every_stage() -> None:
    told = run("explain", "select id % 2 as even, count(*) as n from range(10) group by 1").stdout
    for title in ("== Parsed tree ==", "== Typed plan ==", "== DuckDB SQL ==", "== Engine =="):
        assert title in told
    assert "duckdb: every part of the plan is native (2 rows" in told


def test_a_script_runs_unchanged_with_its_arguments_and_exit_code(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "print(spark.range(4).count(), sys.argv[1:])\nsys.exit(3)\n"
    )
    told = run("run", "--engine", "duckdb", str(script), "a", "--b", "c")
    assert (told.returncode, told.stdout.strip()) == (3, "4 ['a', '--b', 'c']")


def test_a_sql_file_prints_its_results_and_fails_with_sparks_words(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.sql", tmp_path / "bad.sql"
    good.write_text("create temp view v as select 'a;b' as x; -- ;\nselect x from v;")
    bad.write_text("select nope from range(1)")
    assert "|a;b|" in run("run", "--engine", "duckdb", str(good)).stdout
    failed = run("run", "--engine", "duckdb", str(bad))
    assert failed.returncode == 1 and "UNRESOLVED_COLUMN" in failed.stderr


def test_serve_listens_and_ends_when_told(tmp_path: Path) -> None:
    port = free_port()
    server = subprocess.Popen([*TWINSPARK, "serve", "--engine", "duckdb", "--port", str(port)], stderr=subprocess.PIPE)
    assert server.stderr is not None
    assert f"listening at sc://127.0.0.1:{port}" in server.stderr.readline().decode()
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait(30) == 0
