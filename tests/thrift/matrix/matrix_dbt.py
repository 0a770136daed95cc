"""dbt-spark's own `dbt build` of a small project on the door, over every transport it has, with and without a JVM."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from certificates import make_certificate, serving
from matrix import ENVIRONMENTS

import twinspark.driver as driver
from twinspark.doors.thrift import Server, start, with_token

pytestmark = pytest.mark.spark
FILES = {
    "dbt_project.yml": "name: small\nversion: '1.0'\nprofile: small\nmodel-paths: [models]\nseed-paths: [seeds]\n",
    "profiles.yml": "small: {target: dev, outputs: {dev: {type: spark, schema: SCHEMA, threads: 1, HOW}}}\n",
    "seeds/cities.csv": "id,name,size\n1,Wien,2.0\n2,Graz,0.3\n3,Linz,0.2\n",
    "models/large.sql": "{{ config(materialized='table') }} select id, name from {{ ref('cities') }} where size > 0.25",
    "models/shown.sql": "select count(*) as n from {{ ref('large') }}\n",
    "models/schema.yml": "version: 2\nmodels:\n  - name: large\n    columns:\n      - name: id\n"
    "        data_tests: [unique, not_null]\n",
}
TRANSPORTS = {
    "sasl": "method: thrift, host: 127.0.0.1, user: u, port: PORT",
    "plain": "method: thrift, host: 127.0.0.1, user: u, auth: NOSASL, port: PORT",
    "http": "method: http, host: localhost, token: sesame, cluster: c, organization: '0', port: PORT",
}


def build(directory: Path, how: str, schema: str, environment: dict[str, str]) -> None:
    for name, text in FILES.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("SCHEMA", schema).replace("HOW", how))
    dbt = str(ENVIRONMENTS / "dbt" / "bin" / "dbt")
    command = [dbt, "build", "--profiles-dir", ".", "--no-send-anonymous-usage-stats"]
    ran = subprocess.run(
        command, cwd=directory, env={**os.environ, **environment}, capture_output=True, text=True, timeout=600
    )
    assert "ERROR=0" in ran.stdout and ran.returncode == 0, ran.stdout[-4000:]


def check(connect: Callable[[], driver.Connection], schema: str) -> None:
    with connect() as connection, connection.cursor() as cursor:
        assert cursor.execute(f"select n from {schema}.shown").fetchall() == [(2,)]
        cursor.execute(f"drop database {schema} cascade")


@pytest.mark.parametrize("transport", ["sasl", "plain"])
def test_dbt_without_a_jvm(transport: str, native_door: Server, tmp_path: Path) -> None:
    schema = f"dbt_{transport}"
    build(tmp_path, TRANSPORTS[transport].replace("PORT", str(native_door.port)), schema, {})
    check(lambda: driver.connect("127.0.0.1", native_door.port), schema)


def test_dbt_over_http(native_door: Server, tmp_path: Path) -> None:
    """dbt-spark's HTTP is always TLS with a token; the certificate is trusted by way of the environment."""
    certificate = make_certificate(tmp_path)
    backend = native_door.service.backend
    with start("127.0.0.1", 0, backend, authenticate=with_token("sesame"), tls=serving(certificate)) as door:
        how = TRANSPORTS["http"].replace("PORT", str(door.port))
        build(tmp_path, how, "dbt_http", {"SSL_CERT_FILE": str(certificate)})
    check(lambda: driver.connect("127.0.0.1", native_door.port), "dbt_http")


def test_dbt_with_spark_at_hand(door: Server, tmp_path: Path) -> None:
    build(tmp_path, TRANSPORTS["sasl"].replace("PORT", str(door.port)), "dbt_small", {})
    check(lambda: driver.connect("127.0.0.1", door.port), "dbt_small")
