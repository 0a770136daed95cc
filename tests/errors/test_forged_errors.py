"""Texts and values of users that look like our errors stay values: they choose no condition and no fall-back."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException, PythonException
from pyspark.sql import functions as F

from twinspark.errors import reasons
from twinspark.errors.marker import MARK, mark_error, mark_fall_back

# The token is known to no user; that escaping holds even so is shown by those that contain it.
FORGERIES = [
    "SPARK:ELSEWHERE",
    "SPARK:ELSEWHERE|reason=forged",
    "SPARK:DIVIDE_BY_ZERO",
    "NOT_NATIVE:forged",
    "Invalid Input Error: Division by zero in expression (1 // 0).",
    "Out of Range Error: Overflow in addition of INT64 (1 + 1)!",
    'Conversion Error: Casting value "1" to type DECIMAL(3,2) failed',
    "Map keys can not be NULL",
    "Out of Memory Error: failed to allocate data of size 16.0 MiB",
    "IO Error: Could not write file: No space left on device",
    "TwinsparkElsewhere: forged",
    mark_fall_back(reasons.STREAMING),
    mark_error("DIVIDE_BY_ZERO", {"config": "forged"}),
    f"\n\nLINE 1: \n{MARK}JAVA|class=java.lang.Error|message=forged\n",
]
COMPUTED = "concat(value, substring('', cast(id as int), 1))"  # nothing that could be folded before rows are read

forged = pytest.mark.parametrize(
    "text", FORGERIES, ids=range(len(FORGERIES))
)  # names that are the same in every process


def rows(duck: Any, text: str) -> Any:
    return duck.createDataFrame([(0, text)], "id bigint, value string")


def failure(frame: Any) -> PySparkException:
    with pytest.raises(PySparkException) as raised:
        frame.collect()
    return raised.value


@forged
@pytest.mark.parametrize("message", ["value", COMPUTED])
def test_raise_error(duck: Any, text: str, message: str) -> None:
    found = failure(rows(duck, text).selectExpr(f"raise_error({message})"))
    assert found.getCondition() == "USER_RAISED_EXCEPTION"
    assert found.getMessageParameters() == {"errorMessage": text}


@forged
def test_assert_true(duck: Any, text: str) -> None:
    found = failure(rows(duck, text).selectExpr("assert_true(id > 0, value)"))
    assert (found.getCondition(), found.getMessageParameters()) == ("USER_RAISED_EXCEPTION", {"errorMessage": text})
    constant = failure(rows(duck, text).select(F.assert_true(F.col("id") > 0, F.lit(text))))
    assert constant.getMessageParameters() == {"errorMessage": text}


@forged
@pytest.mark.parametrize("type", ["int", "bigint", "double", "decimal(10,2)", "boolean", "date", "timestamp"])
def test_casts(duck: Any, text: str, type: str) -> None:
    found = failure(rows(duck, text).selectExpr(f"cast(value as {type})"))
    assert found.getCondition() == "CAST_INVALID_INPUT"
    assert found.getMessageParameters()["targetType"] == f'"{type.upper()}"'


@forged
def test_map_keys(duck: Any, text: str) -> None:
    found = failure(rows(duck, text).selectExpr(f"map_from_arrays(array(value, {COMPUTED}), array(1, 2))"))
    assert (found.getCondition(), found.getMessageParameters()["key"]) == ("DUPLICATED_MAP_KEY", text)
    read = rows(duck, text).selectExpr("map(value, 1)[value]", "map(value, 1)['other']")
    assert [tuple(row) for row in read.collect()] == [(1, None)]


@forged
def test_json_and_csv_values(duck: Any, text: str) -> None:
    frame = rows(duck, text)
    document = frame.selectExpr("to_json(named_struct('a', value)) as document")
    assert document.selectExpr("from_json(document, 'a string').a").collect()[0][0] == text
    assert document.selectExpr("from_json(document, 'a int').a").collect()[0][0] is None
    assert document.selectExpr("get_json_object(document, '$.a')").collect()[0][0] == text
    found = failure(frame.selectExpr("parse_json(value)"))
    assert found.getCondition() == "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"
    assert frame.selectExpr("from_csv(translate(value, ',\\n', ''), 'a int').a").collect()[0][0] is None


@forged
def test_values_in_files(duck: Any, text: str, tmp_path: Path) -> None:
    rows(duck, text).selectExpr("value as a").coalesce(1).write.json(str(tmp_path / "json"))
    assert duck.read.schema("a string").json(str(tmp_path / "json")).collect()[0][0] == text
    read = duck.read.schema("a string").json(str(tmp_path / "json"))
    assert failure(read.selectExpr("cast(a as int)")).getCondition() == "CAST_INVALID_INPUT"
    line = text.replace("\n", " ").replace('"', "'").replace(",", " ").strip()
    (tmp_path / "a.csv").write_text(f"{line}\n")
    read = duck.read.schema("a string").csv(str(tmp_path / "a.csv"))
    assert [tuple(row) for row in read.collect()] == [(line,)]
    assert failure(read.selectExpr("cast(a as int)")).getCondition() == "CAST_INVALID_INPUT"


@forged
def test_exceptions_of_python_functions(duck: Any, text: str) -> None:
    def fail(value: str) -> str:
        raise ValueError(value)

    found = failure(rows(duck, text).select(F.udf(fail, "string")("value")))
    assert isinstance(found, PythonException) and f"ValueError: {text}" in str(found)


@forged
def test_rows_that_are_written(duck: Any, text: str, tmp_path: Path) -> None:
    frame = rows(duck, text).selectExpr("cast(raise_error(value) as string) as a")
    with pytest.raises(PySparkException) as raised:
        frame.write.parquet(str(tmp_path / "written"))
    assert raised.value.getCondition() == "USER_RAISED_EXCEPTION"
