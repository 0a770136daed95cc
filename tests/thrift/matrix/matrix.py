"""Real clients on the door: `make thrift-matrix` (not an everyday test; each client has an environment of its own)."""

import functools
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from client_probe import MANY
from spark_thrift_server import SPARK_HOME
from zoo import ALL, zoo_query

from twinspark.doors.thrift import Server, start

pytestmark = pytest.mark.spark
HERE = Path(__file__).parent
ENVIRONMENTS = Path(os.environ.get("TWINSPARK_TEST_THRIFT_CLIENTS") or HERE.parents[2] / ".data" / "thrift")
RUNS = [
    ("clients", "pyhive", "sasl"), ("clients", "pyhive", "binary"), ("clients", "pyhive", "http"),
    ("clients", "impyla", "sasl"), ("clients", "impyla", "binary"), ("clients", "impyla", "http"),
    ("clients", "databricks", "http"), ("clients3", "databricks", "http"),
    ("clients", "sqlalchemy", "sasl"), ("clients", "sqlalchemy", "binary"), ("clients", "sqlalchemy", "http"),
]  # fmt: skip
JDBC = {"sasl": "", "binary": ";auth=noSasl", "http": ";transportMode=http;httpPath=cliservice"}


def probed(
    part: str, environment: str, client: str, transport: str, port: int, zoo: dict[str, list[str]] = ALL
) -> dict[str, Any]:
    python = ENVIRONMENTS / environment / "bin" / "python"
    command = [str(python), str(HERE / "client_probe.py"), part, client, transport, str(port), zoo_query(zoo)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


@functools.cache
def on_the_door(environment: str, client: str, transport: str, port: int) -> dict[str, Any]:
    return probed("all", environment, client, transport, port)


@pytest.mark.parametrize(("environment", "client", "transport"), RUNS)
def test_client_on_the_door(environment: str, client: str, transport: str, door: Server) -> None:
    found = on_the_door(environment, client, transport, door.port)
    assert len(found["zoo"]) == 8 and all(len(row) == len(ALL) for row in found["zoo"])
    assert found["zoo"][-1] == ["None"] * len(ALL)
    assert found["empty"] == [0, list(ALL)]
    assert found["many"] == [250_000, 31249875000, "249999", 166_666]
    assert found["large"] == 120_000_000
    assert [name.split(".")[-1] for name in found["names"]] == ["odd name ö", "b", "1x", "select"]
    assert "DIVIDE_BY_ZERO" in found["error"] and "PARSE_SYNTAX_ERROR" in found["syntax"]
    assert found["view"] == [[7]]
    assert found["cancel"] < 60


# Spark Connect's value of a column, as databricks-sql-connector shows it; text where it has asked for text.
AS_CONNECT = ["truth", "i8", "i16", "i32", "i64", "f32", "f64", "money", "whole", "tiny", "words", "bytes", "day",
              "moment", "wall", "padded", "folded", "nothing"]  # fmt: skip


@pytest.mark.parametrize("environment", ["clients", "clients3"])
def test_databricks_shows_the_values_of_spark_connect(
    environment: str, door: Server, reference: Callable[..., pa.Table]
) -> None:
    found = on_the_door(environment, "databricks", "http", door.port)["zoo"]
    expected = reference(zoo_query(ALL))
    for at, name in enumerate(ALL):
        if name in AS_CONNECT:
            assert [in_utc(row[at]) for row in found] == [shown(value) for value in expected[name].to_pylist()], name


@pytest.mark.parametrize("environment", ["clients", "clients3"])
def test_databricks_reads_lz4(environment: str, door: Server) -> None:
    """On this machine nothing is compressed unless the door is told to."""
    plain = on_the_door(environment, "databricks", "http", door.port)
    with start("127.0.0.1", 0, door.service.backend, compress_local=True) as packed:
        found = probed("all", environment, "databricks", "http", packed.port)
    assert {name: found[name] for name in found if name != "cancel"} == {
        name: plain[name] for name in plain if name != "cancel"
    }


def shown(value: Any) -> str:
    """The connector turns NaN into None on its way through pandas."""
    return in_utc(repr(None if value != value else value))


def in_utc(text: str) -> str:
    """UTC has many names, and which one a session has is not what is compared here."""
    return re.sub(r"tzinfo=(<UTC>|zoneinfo.ZoneInfo\(key='(Etc/)?UTC'\))", "tzinfo=UTC", text)


# impyla knows no type id of an interval, which Spark's server sends to it all the same, and it asks for logs after an
# error, at which Spark's server falls silent; the door bears with both.
NOT_ON_SPARK = {"pyhive": set(), "impyla": {"span"}}


@pytest.mark.parametrize("client", ["pyhive", "impyla"])
def test_a_client_sees_the_same_on_spark_and_on_the_door(client: str, door: Server, spark_server: Any) -> None:
    """Every value of every type, as the client shows it."""
    transport, port = spark_server
    zoo = {name: values for name, values in ALL.items() if name not in NOT_ON_SPARK[client]}
    expected = probed("values", "clients", client, transport, port, zoo)
    assert probed("values", "clients", client, transport, door.port, zoo) == expected


def jdbc(transport: str, port: int) -> dict[str, list[str]]:
    url = f"jdbc:hive2://127.0.0.1:{port}/default{JDBC[transport]}"
    command = ["java", "-Xmx512m", "-cp", f"{SPARK_HOME / 'jars'}/*", str(HERE / "JdbcProbe.java"), url, zoo_query(ALL)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: dict[str, list[str]] = {}
    for line in ran.stdout.splitlines():
        key, _, value = line.partition("\t")
        found.setdefault(key, []).append(value)
    return found


@functools.cache
def jdbc_on_the_door(transport: str, port: int) -> dict[str, list[str]]:
    return jdbc(transport, port)


@pytest.mark.parametrize("transport", JDBC)
def test_hive_jdbc(transport: str, door: Server) -> None:
    """hive-jdbc from PySpark's own jars."""
    found = jdbc_on_the_door(transport, door.port)
    assert len(found["zoo 0"]) == len(ALL) and found["zoo 7"] == ["null"] * len(ALL)
    assert found["empty"] == [str(len(ALL))]
    assert found["many"] == ["250000 31249875000 249999 166666"]
    assert found["large"] == ["120000000"]
    assert found["name"] == ["odd name ö", "a.b", "1x", "select"]
    assert found["error"][0].startswith("22012 ") and "DIVIDE_BY_ZERO" in found["error"][0]
    assert found["syntax"][0].startswith("42601 ") and "PARSE_SYNTAX_ERROR" in found["syntax"][0]
    assert found["view"] == ["7"]
    assert [found[name] for name in ("types", "table types", "columns")] == [["20"], ["2"], ["1"]]
    assert "cancelled" in found["cancelled"][0] and int(found["cancel"][0]) < 60
    assert "timed out after 2 seconds" in found["timed out"][0]


def test_hive_jdbc_sees_the_same_on_spark_and_on_the_door(door: Server, spark_server: Any) -> None:
    """Types, precisions and values; what it lists of the one view that both have."""
    transport, port = spark_server
    ours, theirs = jdbc_on_the_door(transport, door.port), jdbc(transport, port)
    keys = ["type", *(f"zoo {row}" for row in range(8)), "empty", "many", "large", "name", "view", "product", "types",
            "table types", "tables", "columns", "functions", "keys"]  # fmt: skip
    for key in keys:
        assert ours.get(key) == theirs.get(key), key


@pytest.mark.parametrize("transport", JDBC)
def test_beeline(transport: str, door: Server) -> None:
    """beeline from PySpark's own jars."""
    sql = f"!set silent true\n{MANY.replace('250000', '1000')};\nselect 1.50BD d, array(1, 2) a, null n;\nselect 1/0;\n"
    command = ["java", "-Xmx256m", "-cp", f"{SPARK_HOME / 'jars'}/*", "org.apache.hive.beeline.BeeLine", "-u",
               f"jdbc:hive2://127.0.0.1:{door.port}/default{JDBC[transport]}", "-n", "u", "-p", "p",
               "--outputformat=tsv2", "--force=true", "--verbose=false"]  # fmt: skip
    ran = subprocess.run(command, input=sql, capture_output=True, text=True, timeout=300)
    assert "999\t999\t999" in ran.stdout
    assert "1.50\t[1,2]\tNULL" in ran.stdout
    assert "DIVIDE_BY_ZERO" in ran.stderr and "state=22012" in ran.stderr
