"""An interrupt from an unchanged PySpark client ends a native function in the middle of one row."""

import threading
import time
from typing import Any

import pytest
from pyspark.errors import PySparkException
from waiting import until

FRAME = "order by id rows between 2000000 preceding and current row"
LONG = {
    "frames of a window": f"select max(s) from (select sum(double(id)) over ({FRAME}) s from range(3000000))",
    "regular expression": "select regexp_count(repeat('a', 400000), concat('a{0,90000}@', s)) from values ('') t(s)",
    "levenshtein": "select levenshtein(repeat('ab', id + 100000), repeat('ba', 100000)) from range(1)",
}


def run(duck: Any, query: str, ends: list[tuple[str, float]]) -> None:
    try:
        duck.sql(query).collect()
        ends.append(("answered", time.process_time()))
    except PySparkException as error:
        ends.append((error.getCondition() or "", time.process_time()))


def is_idle(seconds: float) -> bool:
    """The server runs in this process: it has nothing left to do."""
    before = time.process_time()
    time.sleep(seconds)
    return time.process_time() - before < seconds / 2


@pytest.mark.parametrize("name", LONG)
def test_interrupt_within_a_row(duck: Any, name: str) -> None:
    ends: list[tuple[str, float]] = []
    thread = threading.Thread(target=run, args=(duck, LONG[name], ends))
    thread.start()
    time.sleep(1)  # uninterrupted it takes more than ten seconds
    assert len(until(duck.interruptAll)) == 1
    asked = time.process_time()
    thread.join(60)
    assert ends[0][0] == "OPERATION_CANCELED"
    assert ends[0][1] - asked < 3  # seconds of CPU
    assert duck.sql("select levenshtein('ab', concat('a', id)) d from range(1)").collect()[0].d == 1
    assert until(lambda: is_idle(0.5))
