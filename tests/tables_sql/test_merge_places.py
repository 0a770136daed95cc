"""Where in the text a MERGE names what is not there: places as recorded from Spark."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

HEAD = "MERGE INTO merged t USING (SELECT 1 AS x, 2 AS y) s ON t.a = s.x"
CASES = {
    f"{HEAD} WHEN NOT MATCHED THEN INSERT (a, nosuch) VALUES (x, y)": None,  # the whole statement
    f"{HEAD} WHEN MATCHED THEN UPDATE SET nosuch = 1": "nosuch = 1",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("merged"))))
    session = SparkSession.builder.remote(server.url).create()
    session.sql("CREATE TABLE merged (a INT, b INT)").collect()
    yield session
    session.stop()
    server.stop()


@pytest.mark.parametrize("text", CASES)
def test_the_place(text: str, spark: Any) -> None:
    with pytest.raises(AnalysisException) as raised:
        spark.sql(text).collect()
    assert raised.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    (context,) = raised.value.getQueryContext()
    assert context.fragment() == (CASES[text] or text)
