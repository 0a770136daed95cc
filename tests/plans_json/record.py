"""Asks a running Spark again: `record.py functions` (names and arities), `record.py fixtures [FILE…]` (expectations).

The Spark that answers is TWINSPARK_TEST_REMOTE, or one that twinspark starts (engine=spark).
"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FUNCTIONS = HERE.parent.parent / "src" / "twinspark" / "plans_json" / "functions.json"
COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 24]  # no function takes exactly 24 arguments: what accepts them has no bound
WRONG_COUNT = ("WRONG_NUM_ARGS", "REQUIRED_PARAMETER_NOT_FOUND")
OF_THE_MOMENT = {
    *("current_date", "curdate", "current_timestamp", "now", "localtimestamp", "current_time"),
    *("current_user", "user", "session_user", "version", "monotonically_increasing_id", "spark_partition_id"),
}
NO_FUNCTION = ("NOT_A_SCALAR_FUNCTION", "UNRESOLVED_ROUTINE")  # table functions, and words only the parser knows


def condition_of(spark: Any, name: str, count: int) -> str:
    """Spark's error condition for a call of `name` with so many nulls; empty when it is accepted."""
    from pyspark.errors import PySparkException
    from pyspark.sql import functions

    try:
        _ = spark.range(1).select(functions.call_function(name, *[functions.lit(None)] * count)).schema
    except PySparkException as error:
        return error.getCondition() or "UNKNOWN"
    return ""


def arity_of(spark: Any, name: str) -> list[int | None] | None:
    conditions = {count: condition_of(spark, name, count) for count in COUNTS}
    taken = [count for count, condition in conditions.items() if not condition.startswith(WRONG_COUNT)]
    if not taken or any(condition in NO_FUNCTION for condition in conditions.values()):
        return None
    return [taken[0], None if taken[-1] == COUNTS[-1] else taken[-1]]


def record_functions(spark: Any) -> None:
    names = [row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()]
    words = sorted(name for name in names if name[0].isalpha())
    found = {name: arity for name in words if (arity := arity_of(spark, name))}
    lines = [f"  {json.dumps(name)}: {json.dumps(arity)}" for name, arity in found.items()]
    FUNCTIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(found)} functions")


def record_fixtures(spark: Any, wanted: list[str]) -> None:
    from cases import topics

    for topic, file in topics().items():
        if wanted and topic not in wanted:
            continue
        for case in file["cases"]:
            case["expected"] = expectation({"input": file["input"], **case}, spark)
        (HERE / "fixtures" / f"{topic}.json").write_text(written(file))
        errors = [
            f"{case['name']}: {case['expected']['error']}" for case in file["cases"] if "error" in case["expected"]
        ]
        print(f"{topic}: {len(file['cases'])} cases", *errors, sep="\n  ")


def expectation(fixture: dict[str, Any], spark: Any) -> dict[str, Any]:
    """Spark's answer; without rows when it is another one at every asking, or depends on who asks and when."""
    from twinspark.plans_json.fixture import answer_of

    first, second = answer_of(fixture, spark), answer_of(fixture, spark)
    if first != second or fixture["name"].partition("(")[0] in OF_THE_MOMENT:
        first.pop("rows", None)
    return first


def written(file: dict[str, Any]) -> str:
    """One line for the input and one for each case, so that a changed answer is one changed line."""
    cases = ",\n".join(json.dumps(case) for case in file["cases"])
    return '{"input": ' + json.dumps(file["input"]) + ',\n"cases": [\n' + cases + "\n]}\n"


def main() -> None:
    logging.disable(logging.CRITICAL)  # PySpark logs each refused call in full; a refusal is the answer here
    sys.path.insert(0, str(HERE))
    from sessions import spark_session

    spark = spark_session()
    if sys.argv[1:2] == ["functions"]:
        record_functions(spark)
    elif sys.argv[1:2] == ["fixtures"]:
        record_fixtures(spark, sys.argv[2:])
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
