"""What the ledger of the fuzz says: of functions that Spark has, compared in both modes, with no difference unknown."""

from tools.fuzz.calls import lines
from tools.fuzz.ledger import read_ledger
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS

KNOWN = {"sum"}  # of doubles in a window: rows that tie are added in another order


def test_every_line_is_about_a_function_of_spark() -> None:
    assert set(read_ledger()) <= set(SPARK_FUNCTIONS)


def test_differences_are_known() -> None:
    assert {name for name, tally in read_ledger().items() if tally.different} <= KNOWN


def test_calls_are_about_functions() -> None:
    assert [line.text for line in lines() if not line.functions and "[" not in line.text and "{" not in line.text] == []
