"""Which constants of a plan are evaluated to see whether they fail: Spark reports their errors even without rows."""

import pytest
from pyspark.sql.connect.proto import relations_pb2

from twinspark.duck.constants import has_fallible_constants
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.plans.plan_cache import PlanCache
from twinspark.sessions.plans.session_context import SessionContext

ENGINE = NativeEngine()
FALLIBLE = [
    "select id from range(0) where id < 2147483647 + 1",
    "select id from range(0) where id < 9223372036854775807L + 1",
    "select id from range(0) where id < 1 + (2147483647 + 1)",
    "select id from range(0) where id < 32768 * 65536",
    "select id from range(0) where id < 1Y + 127Y",
    "select id from range(0) where id < 1 / 0",
    "select id from range(0) where id < cast('x' as int) + 1",
]
SAFE = [
    "select id + 2147483647 from range(1)",
    "select id from range(0) where id < 20 + 1",
    "select id from range(0) where id < 20L - 1",
    "select id from range(0) where id < 181 * 181",
]


def evaluates_constants(text: str) -> bool:
    message = relations_pb2.Relation(sql=relations_pb2.SQL(query=text))
    known = SessionContext(
        {}, {}, {}, lambda name: b"", catalog="spark_catalog", database="default", user="", session_id=""
    )
    return has_fallible_constants(PlanCache().read(message, known, ENGINE.cursor()).compiled.contents)


@pytest.mark.parametrize("text", FALLIBLE)
def test_constants_that_may_fail_are_evaluated(text: str) -> None:
    assert evaluates_constants(text)


@pytest.mark.parametrize("text", SAFE)
def test_other_constants_are_not(text: str) -> None:
    assert not evaluates_constants(text)
