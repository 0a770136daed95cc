"""A query on both engines: what counts as a difference, and the reports of the web UI and of `twinspark verify`."""

from collections.abc import Callable
from typing import Any

import pytest
from pages_of import Site
from waiting import until

from twinspark.cli.verify import lines_of
from twinspark.doors.connect.server import ConnectServer
from twinspark.operations.comparison import Outcome, Verdict, compare
from twinspark.ui.web.pages.verify import report_of, report_table
from twinspark.ui.web.verification import MOST_REPORTS, Verification

Start = Callable[..., Site]
ONE = Outcome(("a int not null",), ("(1,)", "(2,)"))


@pytest.mark.parametrize(
    ("spark", "verdict", "text"),
    [
        (ONE, Verdict.IDENTICAL, ""),
        (Outcome(ONE.columns, ("(2,)", "(1,)")), Verdict.REORDERED, ""),
        (Outcome(ONE.columns, ("(1,)", "(1,)", "(2,)")), Verdict.DIFFERENT, "1 row of Spark only: (1,)"),
        (Outcome(ONE.columns, ("(1,)",)), Verdict.DIFFERENT, "1 row of the native engine only: (2,)"),
        (Outcome(("a int",), ONE.rows), Verdict.DIFFERENT, "a int not null; of Spark: a int"),
        (Outcome(condition="DIVIDE_BY_ZERO", error="…"), Verdict.DIFFERENT, "2 rows; Spark: DIVIDE_BY_ZERO"),
    ],
)
def test_what_counts_as_a_difference(spark: Outcome, verdict: Verdict, text: str) -> None:
    found = compare(ONE, spark)
    assert found.verdict is verdict and text in "".join(found.differences)


def test_errors_are_compared_by_their_condition() -> None:
    one, other = (Outcome(condition="DIVIDE_BY_ZERO", error=text) for text in ("a", "b"))
    assert compare(one, other).verdict is Verdict.IDENTICAL
    assert compare(one, Outcome(condition="CAST_OVERFLOW", error="b")).verdict is Verdict.DIFFERENT


def test_what_is_not_native_is_no_difference() -> None:
    assert compare(Outcome(condition="TWINSPARK_NOT_NATIVE", error="why"), ONE).verdict is Verdict.ONLY_SPARK


def test_a_server_without_spark_says_so(site: Start) -> None:
    server = site()
    assert "This server has no Spark" in server.get("/verify").words
    assert server.post("/verify", {"text": "SELECT 1"}).status == 409
    assert server.get("/verify/nosuch").status == 404


def test_reports_are_bounded_and_belong_to_their_user(site: Start) -> None:
    verification = Verification(site().server.sessions)
    for number in range(MOST_REPORTS + 5):
        verification.new_report("ada", f"SELECT {number}")
    bobs = verification.new_report("bob", "SELECT 'bob'")
    assert len(verification.reports("ada")) == MOST_REPORTS - 1
    assert verification.find("ada", bobs.report_id) is None and verification.find("bob", bobs.report_id) is bobs


def test_a_statement_that_writes_is_not_run(site: Start) -> None:
    verification = Verification(site().server.sessions)
    report = verification.carry_out(verification.new_report("ada", "CREATE TABLE t AS SELECT 1 AS a"))
    assert report.problem == "Only queries can be run on both engines." and "not compared" in lines_of(report)[0]
    assert "Only queries" in report_of(report)


@pytest.mark.spark
def test_queries_on_both_engines(auto_server: ConnectServer) -> None:
    verification = Verification(auto_server.sessions)

    def verified(text: str) -> Any:
        return verification.carry_out(verification.new_report("ada", text))

    same = verified("SELECT id, id / 3 AS third, map('k', id) AS m FROM range(5) ORDER BY id")
    assert same.comparison.verdict is Verdict.IDENTICAL, same.comparison
    assert len(same.native.rows) == 5 and lines_of(same)[0] == "identical"
    assert verified("SELECT 1 / id FROM range(1)").comparison.verdict is Verdict.IDENTICAL
    assert verified("SELECT rand()").comparison.verdict is Verdict.DIFFERENT
    only_spark = verified("SELECT from_csv('1', 'a int', map('locale', 'de'))")
    assert only_spark.comparison.verdict is Verdict.ONLY_SPARK
    assert len(verification.reports("ada")) == len(verification.reports(None)) == 4
    assert "Identical" in report_table(verification.reports("ada"))


@pytest.mark.spark
def test_native_queries_of_a_shadowed_session_are_compared(auto_server: ConnectServer, spark: Any) -> None:
    verification = Verification(auto_server.sessions)
    auto_server.shared.listeners.append(verification.shadow)
    try:
        spark.sql("CREATE TEMPORARY VIEW numbers AS SELECT id FROM range(4)")
        spark.table("numbers").count()
        assert verification.reports(None) == []
        spark.conf.set("twinspark.shadow", "true")
        assert spark.table("numbers").selectExpr("sum(id) AS total").collect()[0].total == 6
        (report,) = until(lambda: verification.reports(None))
        until(lambda: report.is_done, 300)
    finally:
        auto_server.shared.listeners.remove(verification.shadow)
    assert report.comparison is not None and report.comparison.verdict is Verdict.IDENTICAL, report
    assert report.spark is not None and report.spark.rows == ("(6,)",)
