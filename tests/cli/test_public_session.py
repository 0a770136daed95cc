"""twinspark.session() opens sessions, before and after the package of the same name was imported."""

import subprocess
import sys

import twinspark
import twinspark.sessions.sessions  # puts the package over the function of the same name


def test_a_session_is_shared_until_it_is_stopped() -> None:
    first = twinspark.session(engine="duckdb")
    first.range(3).createOrReplaceTempView("seen")
    assert twinspark.session(engine="duckdb") is first
    assert twinspark.session(engine="duckdb").table("seen").count() == 3
    first.stop()
    second = twinspark.session(engine="duckdb")
    assert second is not first and not second.catalog.tableExists("seen")
    second.stop()


def test_a_new_session_has_views_of_its_own() -> None:
    shared = twinspark.session(engine="duckdb")
    shared.range(3).createOrReplaceTempView("seen")
    other = twinspark.session(engine="duckdb", new=True)
    assert other is not shared and not other.catalog.tableExists("seen")
    other.stop()
    shared.stop()


def test_a_script_that_leaves_sessions_open_ends() -> None:
    """SparkSession.__del__ closes its channel, and gRPC would wait there for threads that no longer run."""
    script = """
import twinspark
for new in (False, True, True):
    spark = twinspark.session(engine="duckdb", new=new)
    spark.range(3).collect()
    try:
        spark.sql("select nosuch").collect()
    except Exception:
        pass
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120, check=True)


def test_a_script_ends_in_silence() -> None:
    """Not with a line for each object of DuckDB's binding that a thread still holds."""
    script = 'import twinspark; print(twinspark.session(engine="duckdb").range(3).selectExpr("sum(id)").collect())'
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "[Row(sum(id)=3)]\n"
    assert "nanobind" not in done.stderr
