"""A script that would never end is ended by its client."""

import threading
from typing import Any

from pyspark.errors import PySparkException
from waiting import until

FOREVER = "BEGIN DECLARE i INT DEFAULT 0; LOOP SET i = i + 1; END LOOP; END"
ENOUGH = 60.0


def test_an_endless_loop_is_interrupted(alone: Any) -> None:
    told: list[str] = []

    def run() -> None:
        try:
            alone.sql(FOREVER)
        except PySparkException as error:
            told.append(error.getCondition() or str(error))

    running = threading.Thread(target=run)
    running.start()
    assert until(alone.interruptAll)
    running.join(ENOUGH)
    assert told == ["OPERATION_CANCELED"]
    assert alone.sql("SELECT 1 AS one").collect()[0].one == 1
