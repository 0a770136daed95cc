"""A script that would never end is ended by its client."""

import threading
import time
from typing import Any

from pyspark.errors import PySparkException

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
    give_up = time.monotonic() + ENOUGH
    while not alone.interruptAll() and time.monotonic() < give_up:
        time.sleep(0.05)
    running.join(ENOUGH)
    assert told == ["OPERATION_CANCELED"]
    assert alone.sql("SELECT 1 AS one").collect()[0].one == 1
