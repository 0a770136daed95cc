"""`twinspark verify`: runs a query on both engines and prints what differs."""

from twinspark.doors.connect.server import ConnectServer
from twinspark.operations.comparison import Verdict, ending
from twinspark.sessions.settings import Settings
from twinspark.ui.web.verification import Report, Verification

USER = "verify"
AGREEING = (Verdict.IDENTICAL, Verdict.REORDERED, Verdict.ONLY_SPARK)


def verify_sql(settings: Settings, sql: str) -> int:
    """The exit code: 1 if the engines differ, or if the query could not be compared."""
    server = ConnectServer(settings)
    try:
        verification = Verification(server.sessions)
        report = verification.carry_out(verification.new_report(USER, sql))
    finally:
        server.stop()
    for line in lines_of(report):
        print(line)
    return 0 if report.comparison is not None and report.comparison.verdict in AGREEING else 1


def lines_of(report: Report) -> list[str]:
    if report.comparison is None or report.native is None or report.spark is None:
        return [f"not compared: {report.problem}"]
    sides = [("native engine", report.native), ("Spark", report.spark)]
    shown = [f"{name}: {ending(outcome)} in {outcome.seconds:.3f} s" for name, outcome in sides]
    return [report.comparison.verdict.value, *shown, *report.comparison.differences]
