"""The `twinspark` command as a user types it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from twinspark.relay.launch import free_port

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


def test_doctor_misses_the_native_functions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TWINSPARK_NATIVE_LIBRARY", str(tmp_path / "none"))
    told = run("doctor")
    assert told.returncode == 1
    assert f"missing  native functions: {tmp_path / 'none'} is not there; install twinspark again" in told.stdout


def test_explain_shows_every_stage() -> None:
    told = run("explain", "select id % 2 as even, count(*) as n from range(10) group by 1").stdout
    for title in ("== Typed plan ==", "== After follow_spark_order ==", "== DuckDB SQL ==", "== Engine =="):
        assert title in told
    assert "duckdb: [NATIVE]" in told


def test_explain_takes_the_options_of_a_server() -> None:
    query = "select id % 2 as even, count(*) as n from range(10) group by 1"
    told = run("explain", "--conf", "twinspark.rowOrder=engine", query).stdout
    assert "== DuckDB SQL ==" in told and "follow_spark_order" not in told
    assert "spark: [ENGINE_SETTING]" in run("explain", "--engine", "spark", query).stdout


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
    server = subprocess.Popen(
        [*TWINSPARK, "serve", "--no-ui", "--engine", "duckdb", "--port", str(port)], stderr=subprocess.PIPE
    )
    assert server.stderr is not None
    assert f"listening at sc://127.0.0.1:{port}" in server.stderr.readline().decode()
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait(30) == 0


def test_another_pyspark_is_reported_in_one_line(tmp_path: Path) -> None:
    """As `pip install` of another package leaves it: then only what needs no PySpark works."""
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "version.py").write_text('__version__: str = "4.0.5"\n')
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def printed(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*TWINSPARK, *words], env=environment, capture_output=True, text=True, check=False)

    assert printed("--version").returncode == 0
    assert "PySpark 4.0.5 is installed here" in printed("doctor").stdout
    failed = printed("serve")
    assert failed.returncode == 2 and failed.stderr.startswith("twinspark: PySpark 4.0.5 is installed here")
    assert len(failed.stderr.splitlines()) == 1
