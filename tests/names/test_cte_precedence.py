"""Names of nested WITH queries where spark.sql.legacy.ctePrecedencePolicy is EXCEPTION, as Spark 4.2.1 reads them."""

from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

CONFLICTS = {
    "with t as (select 1), t2 as (with t as (select 2) select * from t) select * from t2": "`t`",
    "with t as (select 1) select * from t where exists (with T as (select 2) select * from t)": "`T`",
    "with t as (select 1 a), u as ((with t as (select 5 a) select * from t)) select * from u": "`t`",
    "with t as (select 1 a) select case when a = 1 then (with t as (select 2 b) select b from t) end from t": "`t`",
}
ROWS = {
    "with t as (select 1 a) select * from (with t as (select 2 a) select * from t)": [2],
    "with t as (select 1), u as (select * from (with t as (select 2) select * from t)) select * from u": [2],
    "with t as (select 1 a) select (select max(a) from (with t as (select 5 a) select * from t)) x from t": [5],
    "with t as (select 1 a) select 1 union all (with t as (select 5 a) select * from t)": [1, 5],
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("ctes"))))
    session = SparkSession.builder.remote(server.url).create()
    session.conf.set("spark.sql.legacy.ctePrecedencePolicy", "EXCEPTION")
    yield session
    session.stop()
    server.stop()


@pytest.mark.parametrize("query", CONFLICTS)
def test_conflict(spark: SparkSession, query: str) -> None:
    with pytest.raises(PySparkException) as raised:
        spark.sql(query).collect()
    assert raised.value.getCondition() == "AMBIGUOUS_ALIAS_IN_NESTED_CTE"
    assert (raised.value.getMessageParameters() or {})["name"] == CONFLICTS[query]


@pytest.mark.parametrize("query", ROWS)
def test_rows(spark: SparkSession, query: str) -> None:
    assert sorted(row[0] for row in spark.sql(query).collect()) == ROWS[query]
