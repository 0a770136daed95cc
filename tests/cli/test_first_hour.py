"""What a new user meets in the first hour: start errors, unchanged scripts, quiet exits, settings that explain
themselves."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from test_commands import TWINSPARK, run
from waiting import until

import twinspark

NOISE = ("nanobind", "leaked", "Traceback", "FutureWarning")


@pytest.fixture
def spark(tmp_path: Path) -> Iterator[Any]:
    """An embedded session whose engine is `auto`; nothing here needs Spark, so none is started."""
    session = twinspark.session(warehouse=str(tmp_path / "warehouse"))
    yield session
    session.stop()


def last(spark: Any) -> dict[str, Any]:
    return dict(json.loads(spark.conf.get("twinspark.lastOperation", "{}")))


# ---- errors at start: one line, exit code 2


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--engine", "foo"], "engine is one of auto, duckdb, spark, not 'foo'"),
        (["--port", "99999"], "a port is a number up to 65535, not 99999"),
        (["--thrift-port", "99999"], "a Thrift port is a number up to 65535, not 99999"),
        (["--warehouse", "/proc/nope"], "--warehouse /proc/nope: No such file or directory: /proc/nope"),
        (["--warehouse", "/etc/passwd"], "--warehouse /etc/passwd: File exists: /etc/passwd"),
        (["--warehouse", "s3://bucket/x"], "--warehouse s3://bucket/x: tables must be in a directory of this machine"),
        (["--spark-memory", "4q"], "a memory size is written like 2g or 512m, not '4q'"),
        (["--memory-limit", "lots"], "a memory size is written like 2g or 512m, not 'lots'"),
        (["--spark-remote", "http://x"], "the address of a Spark starts with sc://, not 'http://x'"),
        (["--spark-remote", "sc://127.0.0.1:1"], "--spark-remote sc://127.0.0.1:1: 127.0.0.1:1: [Errno 111]"),
        (["--spark-master", "foo"], "a Spark master is local, "),
        (["--limit", "connection=1"], "no limit is called connection; did you mean connections?"),
        (["--conf", "foo"], "--conf takes key=value, not 'foo'"),
        (["--conf", "twinspark.foo=1"], "there is no setting twinspark.foo"),
        (["--conf", "twinspark.rowOrdr=spark"], "there is no setting twinspark.rowOrdr; did you mean twinspark.rowO"),
        (["--conf", "twinspark.native.maxScanBytes=lots"], "twinspark.native.maxScanBytes is a size such as"),
        (["--conf", "twinspark.tables.provider=foo"], "twinspark.tables.provider is one of iceberg, delta, "),
        (["--conf", "twinspark.python.files=many"], "twinspark.python.files is a whole number, not 'many'"),
        (["--conf", "twinspark.spark.startTimeout=soon"], "twinspark.spark.startTimeout is a time such as 30s or 2m"),
        (["--token-file", "/nope"], "--token-file /nope: no such file"),
        (["--tls-cert", "/nope"], "--tls-cert /nope: no such file"),
        (["--allow-path", "/nope"], "--allow-path /nope: no such directory"),
        (["--host", "0.0.0.0"], "0.0.0.0 is reachable from other machines"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_wrong_option_is_one_line(words: list[str], problem: str) -> None:
    done = run("serve", "--port", "0", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"twinspark: {problem}") and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("flag", ["--port", "--metrics-port", "--thrift-port"])
def test_a_port_in_use_is_named(flag: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        done = run("serve", "--port", "0", flag, port)
    assert (done.returncode, done.stderr) == (2, f"twinspark: {flag} {port}: Address already in use\n")


# ---- quiet exits


def started(*words: str, **variables: str) -> tuple["subprocess.Popen[str]", str]:
    """A server and its address; the rest of its log is collected by a thread."""
    command = [*TWINSPARK, "serve", "--port", "0", *words]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables})
    assert server.stderr is not None
    line = next(line for line in server.stderr if "listening at" in line)
    return server, line.split("listening at ")[1].split(",")[0]


def test_twinspark_ui_opens_a_browser(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/address\n')
    browser.chmod(0o755)
    words = ["ui", "--port", "0", "--ui-port", "0", "--engine", "duckdb", "--warehouse", str(tmp_path / "warehouse")]
    server = subprocess.Popen([*TWINSPARK, *words], env={**os.environ, "BROWSER": str(browser)})
    try:
        address = until(lambda: (tmp_path / "address").is_file() and (tmp_path / "address").read_text().strip())
        with urllib.request.urlopen(address, timeout=60) as page:
            assert b"twinspark" in page.read()
    finally:
        server.terminate()
        assert server.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_end_of_a_server_is_quiet(number: int) -> None:
    server, url = started("--engine", "duckdb")
    client = SparkSession.builder.remote(url).create()
    assert client.range(5).selectExpr("sum(id)").first()[0] == 10
    client.stop()
    server.send_signal(number)
    rest = server.communicate(timeout=60)[1]
    assert server.returncode == 0 and not any(each in rest for each in NOISE), rest


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bad.json", '{"bad": 1}', ("run", "bad.json", "--input", "none.parquet")),
        ("bad.sql", "select nosuch", ("run", "--engine", "duckdb", "bad.sql")),
        ("bad.sql", "select", ("explain", "select nosuch")),
    ],
)
def test_an_error_is_not_buried(
    name: str, text: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    done = run(*words)
    assert done.returncode == 1 and done.stderr and not any(each in done.stderr for each in NOISE), done.stderr


# ---- unchanged scripts

COMMON = """
from pyspark.sql import SparkSession
spark = (SparkSession.builder.appName("report").master("local[*]").config("spark.executor.memory", "2g")
         .enableHiveSupport().getOrCreate())
spark.sparkContext.setLogLevel("ERROR")
print(spark.range(4).count())
for call in (lambda: spark.sparkContext.parallelize([1]), lambda: spark.range(3).rdd):
    try:
        call()
    except Exception as error:
        print(error)
"""


def test_a_script_with_a_master_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(COMMON)
    done = run("run", "--engine", "duckdb", str(tmp_path / "script.py"))
    count, context, rdd = done.stdout.splitlines()
    assert (done.returncode, count) == (0, "4")
    assert context.endswith("use spark.createDataFrame(rows, schema).") and "df.mapInPandas" in rdd
    (said,) = done.stderr.splitlines()
    assert said.startswith("twinspark: not used: spark.master=local[*], spark.executor.memory=2g")


def test_a_client_that_simply_exits_starts_no_jvm(tmp_path: Path) -> None:
    """PySpark's exit handler sends `ml_command.clean_cache`."""
    server, url = started("--engine", "auto", "--warehouse", str(tmp_path))
    program = "from pyspark.sql import SparkSession\nprint(SparkSession.builder.getOrCreate().range(3).count())"
    environment = {**os.environ, "SPARK_REMOTE": url}
    log: list[str] = []
    assert server.stderr is not None
    threading.Thread(target=lambda: log.extend(server.stderr or ()), daemon=True).start()
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    other = SparkSession.builder.remote(url).create()
    status = json.loads(other.conf.get("twinspark.sparkStatus"))
    other.stop()
    server.terminate()
    assert (done.stdout, server.wait(60)) == ("3\n", 0)
    assert status["state"] == "stopped", status


def test_another_getorcreate_is_the_same_session(spark: Any) -> None:
    assert SparkSession.builder.getOrCreate() is spark
    assert SparkSession.getActiveSession() is spark


# ---- what a session says about itself


def test_the_last_operation(spark: Any) -> None:
    assert spark.conf.get("twinspark.lastOperation", "-") == "-"
    spark.range(3).count()
    assert (last(spark)["engine"], last(spark)["outcome"]) == ("duckdb", "SUCCEEDED")
    with pytest.raises(PySparkException):
        spark.range(3).select("nosuch").collect()
    assert (last(spark)["code"], last(spark)["outcome"]) == ("PLANNING", "FAILED")
    spark.range(4).count()
    with pytest.raises(PySparkException):
        spark.range(3).select("nosuch").schema  # noqa: B018  an RPC, which analyzes the plan
    assert (last(spark)["code"], last(spark)["outcome"]) == ("PLANNING", "FAILED")
    outcomes = [each["outcome"] for each in json.loads(spark.conf.get("twinspark.lastOperations"))]
    assert outcomes == ["SUCCEEDED", "FAILED", "SUCCEEDED", "FAILED"]


def test_explain_is_the_last_operation_and_names_duckdb(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    native = twinspark.session(engine="duckdb", warehouse=str(tmp_path / "warehouse"))
    native.range(3).explain()
    assert "DuckDB: [NATIVE]" in capsys.readouterr().out
    assert (last(native)["engine"], last(native)["outcome"]) == ("duckdb", "EXPLAINED")
    native.stop()


def test_set_shows_our_settings(spark: Any) -> None:
    shown = {row.key: row.value for row in spark.sql("SET").collect()}
    assert shown["twinspark.engine"] == "auto" and shown["twinspark.tables.provider"] == "iceberg"
    spark.conf.set("spark.sql.ansi.enabled", "false")
    described = {row.key: row for row in spark.sql("SET -v").collect()}
    assert described["spark.sql.ansi.enabled"].value == "false"
    assert described["twinspark.native.maxScanBytes"].value == "200g" and described["twinspark.rowOrder"].meaning
    assert last(spark)["engine"] == "duckdb"


def test_files_by_name_in_sql(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name without a slash is a path too, if no table has it (ResolveSQLOnFile)."""
    monkeypatch.chdir(tmp_path)
    spark.range(3).write.parquet("orders")
    for name in ("parquet.orders", "parquet.`orders`", "PARQUET.`./orders`"):
        assert spark.sql(f"select * from {name}").count() == 3
    assert condition(lambda: spark.sql("select * from parquet.nosuch").collect())[0] == "PATH_NOT_FOUND"
    spark.sql("create database parquet")
    spark.sql("create table parquet.orders as select 'table' as kind")
    assert spark.sql("select * from parquet.orders").first().kind == "table"
    spark.sql("drop database parquet cascade")
    assert last(spark)["engine"] == "duckdb"


def condition(call: Any) -> tuple[str, str]:
    with pytest.raises(PySparkException) as caught:
        call()
    return caught.value.getCondition() or "", str(caught.value)


def test_a_misspelt_setting_is_an_error(spark: Any) -> None:
    for call in (
        lambda: spark.conf.set("twinspark.engin", "duckdb"),
        lambda: spark.conf.unset("twinspark.engin"),
        lambda: spark.conf.get("twinspark.engin"),
        lambda: spark.sql("SET twinspark.engin = duckdb").collect(),
    ):
        kind, text = condition(call)
        assert kind == "SQL_CONF_NOT_FOUND" and 'did you mean "twinspark.engine"?' in text
    assert spark.conf.get("twinspark.engin", "-") == "-"


def test_a_value_that_a_setting_does_not_have(spark: Any) -> None:
    kind, text = condition(lambda: spark.conf.set("twinspark.native.maxScanBytes", "lots"))
    assert kind == "INVALID_CONF_VALUE.TYPE_MISMATCH" and "size such as 512m" in text
    kind, text = condition(lambda: spark.conf.set("twinspark.tables.provider", "foo"))
    assert kind == "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS" and "iceberg, delta" in text


@pytest.mark.parametrize("format", ["delta", "iceberg"])
def test_a_table_by_path_names_what_to_write_and_to_install(format: str, tmp_path: Path) -> None:
    native = twinspark.session(engine="duckdb", warehouse=str(tmp_path / "warehouse"))
    kind, text = condition(lambda: native.read.format(format).load(str(tmp_path)).collect())
    assert kind == "TWINSPARK_NOT_NATIVE" and "[TABLE_BY_PATH]" in text
    assert "USING delta LOCATION" in text and "pip install 'twinspark[delta]'" in text
    native.stop()


def test_an_error_of_the_native_engine_has_no_jvm_heading(spark: Any) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql("select 1 / 0").collect()
    assert "DIVIDE_BY_ZERO" in str(caught.value) and "JVM stacktrace" not in str(caught.value)
