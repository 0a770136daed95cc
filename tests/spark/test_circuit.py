"""When Spark's start is tried again, and the settings that say how long things may take."""

import pytest

from twinspark.relay.circuit import Circuit, CircuitState
from twinspark.relay.limits import SparkLimits
from twinspark.relay.reachable import unreachable_master


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def failing(circuit: Circuit, clock: Clock, times: int) -> list[float]:
    """The pause after each of so many failed starts, each tried as soon as it may be."""
    pauses = []
    for _ in range(times):
        circuit.record_failure("no executors")
        pauses.append(circuit.pause)
        clock.now += circuit.pause
    return pauses


def test_pauses_grow_and_the_circuit_opens_half_opens_and_closes() -> None:
    clock = Clock()
    circuit = Circuit(3, 10.0, 60.0, clock)
    assert failing(circuit, clock, 2) == [1.0, 2.0] and circuit.state is CircuitState.CLOSED
    circuit.record_failure("no executors")
    assert circuit.state is CircuitState.OPEN and circuit.pause == 10.0 and circuit.cause == "no executors"
    clock.now += 10
    assert circuit.state is CircuitState.HALF_OPEN
    assert failing(circuit, clock, 4) == [20.0, 40.0, 60.0, 60.0]
    circuit.record_success()
    assert (circuit.state, circuit.pause, circuit.cause) == (CircuitState.CLOSED, 0.0, "")


def test_limits_are_read_as_spark_reads_times() -> None:
    limits = SparkLimits.of(
        {"twinspark.spark.startTimeout": "2m", "twinspark.spark.hangTimeout": "1500ms", "other": "x"}
    )
    assert (limits.start_timeout, limits.hang_timeout, limits.remote_timeout) == (120.0, 1.5, 10.0)
    assert SparkLimits.of({"twinspark.spark.circuitFailures": "5"}).circuit_failures == 5
    with pytest.raises(ValueError, match=r"twinspark\.spark\.pingTimeout is a time such as 30s"):
        SparkLimits.of({"twinspark.spark.pingTimeout": "soon"})


@pytest.mark.parametrize("master", ["local[2]", "yarn", "k8s://https://nowhere.invalid"])
def test_only_a_standalone_master_is_reached_out_for(master: str) -> None:
    assert unreachable_master(master, 1.0) == ""


def test_every_master_of_a_list_is_tried() -> None:
    reason = unreachable_master("spark://127.0.0.1:1,127.0.0.1:2", 1.0)
    assert "127.0.0.1:1: " in reason and "127.0.0.1:2: " in reason
    assert "is no host:port" in unreachable_master("spark://nonsense", 1.0)
