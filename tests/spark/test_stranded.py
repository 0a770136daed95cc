"""A standalone driver without a master and without executors cannot finish anything; with either it can."""

import pytest

from twinspark.relay.lost_cluster import is_stranded

HEAD = "26/11/16 21:00:00 INFO StandaloneSchedulerBackend: "
CONNECTED = HEAD + "Connected to Spark cluster with app ID app-1\n"
GRANTED = HEAD + "Granted executor ID app-1/0 on hostPort 127.0.0.1:4000 with 1 core(s), 512.0 MiB RAM\n"
LOST = "26/11/16 21:00:00 ERROR TaskSchedulerImpl: Lost executor 0 on 127.0.0.1: Command exited with code 137\n"
DISCONNECTED = (
    "26/11/16 21:00:00 WARN StandaloneSchedulerBackend: Disconnected from Spark cluster! Waiting for reconnection...\n"
)
RECOVERED = (
    "26/11/16 21:00:00 INFO StandaloneAppClient$ClientEndpoint: Master has changed, new master is at spark://a:1\n"
)


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("", False),
        (CONNECTED + GRANTED + LOST, False),  # the master may send new executors
        (CONNECTED + GRANTED + DISCONNECTED, False),  # the executors work on
        (CONNECTED + GRANTED + DISCONNECTED + LOST, True),
        (CONNECTED + GRANTED + LOST + DISCONNECTED, True),
        (CONNECTED + GRANTED + DISCONNECTED + LOST + RECOVERED, False),
    ],
)
def test_neither_master_nor_executors(log: str, expected: bool) -> None:
    assert is_stranded(log) is expected
