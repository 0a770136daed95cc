"""Real clients on the door, the driver on Spark's own Thrift server: `make thrift-matrix` (not an everyday test)."""

import functools
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
import pytest
from client_probe import LARGE, MANY
from test_driver_door import same
from zoo import COLUMNS, zoo_query

import twinspark.driver as driver
from twinspark.doors.thrift import Server

pytestmark = pytest.mark.spark
HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent.parent / ".data" / "thrift"
SPARK_HOME = Path(pyspark.__file__).parent
RUNS = [
    ("clients", "pyhive", "sasl"), ("clients", "pyhive", "binary"), ("clients", "pyhive", "http"),
    ("clients", "impyla", "sasl"), ("clients", "impyla", "binary"), ("clients", "impyla", "http"),
    ("clients", "databricks", "http"), ("clients3", "databricks", "http"),
    ("clients", "sqlalchemy", "sasl"), ("clients", "sqlalchemy", "binary"),
]  # fmt: skip


class SparkThriftServer:
    """Spark's own server from PySpark's jars, with a small heap, ended by `stop`."""

    def __init__(self, mode: str, directory: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        place = {"binary": "hive.server2.thrift.port", "http": "hive.server2.thrift.http.port"}[mode]
        options = [
            "--hiveconf", f"{place}={self.port}", "--hiveconf", f"hive.server2.transport.mode={mode}",
            "--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1",
            "--hiveconf", "hive.server2.thrift.http.path=cliservice",
        ]  # fmt: skip
        command = [
            str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]", "--driver-memory", "1g",
            "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.catalogImplementation=in-memory",
            "--conf", "spark.sql.session.timeZone=UTC", "--conf", f"spark.sql.warehouse.dir={directory}",
            "--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "spark-internal", *options,
        ]  # fmt: skip
        self.log = (directory / "log").open("wb")
        environment = {**os.environ, "SPARK_HOME": str(SPARK_HOME)}
        self.process = subprocess.Popen(
            command, cwd=directory, env=environment, stdout=self.log, stderr=self.log, start_new_session=True
        )
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    def wait(self) -> None:
        for _ in range(600):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.process.poll() is None, "Spark's Thrift server ended"
            time.sleep(0.5)
        raise TimeoutError("Spark's Thrift server did not start")

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()


@pytest.fixture(scope="module", params=["binary", "http"])
def spark_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    server = SparkThriftServer(request.param, tmp_path_factory.mktemp(f"spark-{request.param}"))
    yield "sasl" if request.param == "binary" else "http", server.port
    server.stop()


def probed(environment: str, client: str, transport: str, port: int) -> dict[str, Any]:
    python = ENVIRONMENTS / environment / "bin" / "python"
    command = [str(python), str(HERE / "client_probe.py"), client, transport, str(port), zoo_query()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


@functools.cache
def recorded_from_spark(client: str, transport: str, port: int) -> dict[str, Any]:
    return probed("clients", client, transport, port)


@pytest.mark.parametrize(("environment", "client", "transport"), RUNS)
def test_client_on_the_door(environment: str, client: str, transport: str, door: Server) -> None:
    found = probed(environment, client, transport, door.port)
    assert len(found["zoo"]) == 8 and all(len(row) == len(COLUMNS) for row in found["zoo"])
    assert found["zoo"][-1] == ["None"] * len(COLUMNS)
    assert found["empty"] == [0, list(COLUMNS)]
    assert found["many"] == [250_000, 31249875000, "249999", 166_666]
    assert found["large"] == 120_000_000
    assert [name.split(".")[-1] for name in found["names"]] == ["odd name ö", "b", "1x", "select"]
    assert "DIVIDE_BY_ZERO" in found["error"] and "PARSE_SYNTAX_ERROR" in found["syntax"]
    assert found["view"] == [[7]]
    assert found.get("cancel", 0) < 60


@pytest.mark.parametrize("client", ["pyhive", "impyla"])
def test_a_client_sees_the_same_on_spark_and_on_the_door(client: str, door: Server, spark_server: Any) -> None:
    """Every value of every type, as the client shows it."""
    transport, port = spark_server
    assert probed("clients", client, transport, door.port)["zoo"] == recorded_from_spark(client, transport, port)["zoo"]


def test_driver_on_spark(spark_server: Any, reference: Callable[..., pa.Table]) -> None:
    transport, port = spark_server
    connection = driver.connect("127.0.0.1", port, transport=transport)
    cursor = connection.cursor()
    same(cursor.execute(zoo_query()).fetch_arrow_table(), reference(zoo_query()), text=True)
    same(cursor.execute(MANY).fetch_arrow_table(), reference(MANY))
    assert cursor.execute(LARGE).fetch_arrow_table().num_rows == 120_000
    empty = f"select * from ({zoo_query()}) where i32 = 7"
    same(cursor.execute(empty).fetch_arrow_table(), reference(empty), text=True)
    with pytest.raises(driver.DataError, match="DIVIDE_BY_ZERO") as error:
        cursor.execute("select 1/0")
    assert error.value.sqlstate == "22012"
    connection.close()


def test_listings_are_those_of_spark(door: Server, spark_server: Any) -> None:
    """Columns of all nine, and the rows that do not depend on what else a catalog holds."""
    transport, port = spark_server
    both = [driver.connect("127.0.0.1", place, transport=transport, protocol=9) for place in (port, door.port)]
    for method in ("GetTypeInfo", "GetCatalogs", "GetTableTypes"):
        ours, theirs = [sorted(connection.cursor().list_metadata(method).fetchall(), key=repr) for connection in both]
        assert ours == theirs, method
    view = "create or replace temp view listed as select 1 a, 'x' b, array(1) c, named_struct('p', 1, 'q', 2.5BD) d"
    for connection in both:
        connection.cursor().execute(view)
    for method in ("GetColumns", "GetTables"):
        cursors = [connection.cursor().list_metadata(method, tableName="listed") for connection in both]
        assert cursors[0].description == cursors[1].description
        assert cursors[0].fetchall() == cursors[1].fetchall(), method
    for connection in both:
        connection.close()


@pytest.mark.parametrize("parameters", ["", ";transportMode=http;httpPath=cliservice", ";auth=noSasl"])
def test_beeline(parameters: str, door: Server) -> None:
    """hive-jdbc and beeline from PySpark's own jars."""
    sql = f"!set silent true\n{MANY.replace('250000', '1000')};\nselect 1.50BD d, array(1, 2) a, null n;\nselect 1/0;\n"
    command = ["java", "-Xmx256m", "-cp", f"{SPARK_HOME / 'jars'}/*", "org.apache.hive.beeline.BeeLine", "-u",
               f"jdbc:hive2://127.0.0.1:{door.port}/default{parameters}", "-n", "u", "-p", "p", "--outputformat=tsv2",
               "--force=true", "--verbose=false"]  # fmt: skip
    ran = subprocess.run(command, input=sql, capture_output=True, text=True, timeout=300)
    assert "999\t999\t999" in ran.stdout
    assert "1.50\t[1,2]\tNULL" in ran.stdout
    assert "DIVIDE_BY_ZERO" in ran.stderr and "state=22012" in ran.stderr


DBT_FILES = {
    "dbt_project.yml": "name: small\nversion: '1.0'\nprofile: small\nmodel-paths: [models]\nseed-paths: [seeds]\n",
    "profiles.yml": "small: {target: dev, outputs: {dev: {type: spark, method: thrift, host: 127.0.0.1, port: PORT, "
    "schema: dbt_small, user: u, threads: 1}}}\n",
    "seeds/cities.csv": "id,name,size\n1,Wien,2.0\n2,Graz,0.3\n3,Linz,0.2\n",
    "models/large.sql": "{{ config(materialized='table') }} select id, name from {{ ref('cities') }} where size > 0.25",
    "models/shown.sql": "select count(*) as n from {{ ref('large') }}\n",
    "models/schema.yml": "version: 2\nmodels:\n  - name: large\n    columns:\n      - name: id\n"
    "        data_tests: [unique, not_null]\n",
}


def test_dbt_build(door: Server, tmp_path: Path) -> None:
    for name, text in DBT_FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("PORT", str(door.port)))
    command = [
        str(ENVIRONMENTS / "dbt" / "bin" / "dbt"),
        "build",
        "--profiles-dir",
        ".",
        "--no-send-anonymous-usage-stats",
    ]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert "ERROR=0" in ran.stdout and ran.returncode == 0, ran.stdout[-4000:]
    connection = driver.connect("127.0.0.1", door.port)
    assert connection.cursor().execute("select n from dbt_small.shown").fetchall() == [(2,)]
    connection.cursor().execute("drop database dbt_small cascade")
    connection.close()
