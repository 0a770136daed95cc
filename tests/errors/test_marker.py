"""Errors that travel through DuckDB as marked texts: what was written is read back, and nothing else is."""

import duckdb
import pytest

from twinspark.duck.errors import translate_error
from twinspark.duck.run import connect
from twinspark.errors import JavaError, NotNative, OutOfMemory, SparkError, reasons
from twinspark.errors.marker import MARK, TOKEN, mark_error, mark_fall_back, unmark, without_token
from twinspark.functions.notation.error_sql import error, error_with, java_error, not_native
from twinspark.types.duckdb import duck_text as text

HOSTILE = "a|b=c%7C%\n\nLINE 1: 'x' \r\té😀 " + MARK + "FALL_BACK|code=STREAMING"


def raised_by(sql: str) -> Exception:
    with pytest.raises(duckdb.Error) as raised:
        connect().execute(f"SELECT {sql}").fetchall()
    return translate_error(raised.value)


@pytest.mark.parametrize(
    "made",
    [
        lambda: unmark(f"Invalid Input Error: {mark_error('USER_RAISED_EXCEPTION', {'errorMessage': HOSTILE})}"),
        lambda: raised_by(error("USER_RAISED_EXCEPTION", errorMessage=HOSTILE)),
        lambda: raised_by(error_with("USER_RAISED_EXCEPTION", errorMessage=text(HOSTILE))),
    ],
    ids=["python", "constant", "computed"],
)
def test_values_are_read_back_as_they_were_written(made: object) -> None:
    assert callable(made)
    found = made()
    assert isinstance(found, SparkError)
    assert (found.condition, found.parameters) == ("USER_RAISED_EXCEPTION", {"errorMessage": HOSTILE})


def test_values_of_native_functions_are_read_back_as_they_were_written() -> None:
    found = raised_by(f"spark_string_to_int_ansi({text(HOSTILE)})")
    assert isinstance(found, SparkError) and found.condition == "CAST_INVALID_INPUT"
    assert found.parameters["expression"] == "'" + HOSTILE.replace("'", "\\'") + "'"


def test_exceptions_of_java_and_reasons_are_read_back() -> None:
    thrown = raised_by(java_error(text(HOSTILE)))
    assert isinstance(thrown, JavaError) and str(thrown) == HOSTILE
    reason = raised_by(not_native(reasons.REGEX, HOSTILE, crash="lost"))
    assert isinstance(reason, NotNative) and (reason.cause.reason, reason.cause.detail) == (reasons.REGEX, HOSTILE)
    assert isinstance(reason.likely_error, JavaError) and str(reason.likely_error) == "lost"
    memory = unmark(mark_error("OUT_OF_MEMORY", {"bytes": "17"}))
    assert isinstance(memory, OutOfMemory) and memory.bytes == 17


def test_a_mark_in_sql_that_duckdb_quotes_is_no_error() -> None:
    quoted = f"Invalid Input Error: Division by zero in expression (a // {not_native(reasons.REGEX)})."
    assert unmark(quoted) is None
    found = translate_error(duckdb.Error(quoted))
    assert isinstance(found, SparkError) and found.condition == "DIVIDE_BY_ZERO"


@pytest.mark.parametrize(
    "value",
    [
        "Division by zero in expression (a // b)",
        "Invalid Input Error: Map keys can not be NULL",
        "Out of Range Error: Overflow in addition of INT64 (1 + 1)",
        'Casting value "1" to type DECIMAL(3,2)',
        "\nOut of Memory Error: of size 1.0 MiB",
        "IO Error: : No space left on device",
        "SPARK:ELSEWHERE",
        "SPARK||DIVIDE_BY_ZERO",
        mark_fall_back(reasons.STREAMING).replace(TOKEN, "0" * len(TOKEN)),
    ],
)
def test_a_value_that_duckdb_quotes_makes_no_error_of_its_own(value: str) -> None:
    found = raised_by(f"CAST({text(value)} AS INTEGER)")
    assert isinstance(found, NotNative) and found.cause.reason is reasons.DUCKDB_ERROR


def test_the_token_is_not_shown() -> None:
    assert TOKEN not in without_token(not_native(reasons.REGEX))
    unbound = raised_by(f"no_such_function({not_native(reasons.REGEX)})")
    assert TOKEN not in str(unbound)
