"""Logs that a failing Spark 4.2.1 wrote (without the frames of their stack traces), and the cause we read from each."""

from datetime import datetime
from pathlib import Path

import pytest

from twinspark.relay.log_cause import first_cause

LOGS = Path(__file__).parent / "logs"
CAUSES = {
    "dead_master": "Failed to connect to master 127.0.0.1:1 (java.net.ConnectException: finishConnect(..) failed with "
    "error(-111): Connection refused)",
    "no_such_address": "Error initializing SparkContext. (java.net.BindException: bind(..) failed with error(-99): "
    "Cannot assign requested address: Service 'sparkDriver' failed after 16 retries (on a random free port)! Consider "
    "explicitly setting the appropriate binding address for the service 'sparkDriver' (for example "
    "spark.driver.bindAddress for SparkDriver) to the correct binding address.)",
    "tiny_heap": "Error occurred during initialization of VM (Too small maximum heap)",
    "unresolved_host": "Error initializing SparkContext. (java.nio.channels.UnresolvedAddressException)",
    "small_memory": "Error initializing SparkContext. (org.apache.spark.SparkIllegalArgumentException: "
    "[INVALID_DRIVER_MEMORY] System memory 62914560 must be at least 471859200.)",
    "no_such_master": 'Exception in thread "main" org.apache.spark.SparkException: Master must either be yarn or '
    "start with spark, k8s, or local",
}
HEAD = "26/11/16 21:{minute}:00 {level} "


@pytest.mark.parametrize("name", CAUSES)
def test_the_first_cause_is_found(name: str) -> None:
    assert first_cause((LOGS / f"{name}.log").read_text()) == CAUSES[name]


def test_every_log_has_its_cause_here() -> None:
    assert {path.stem for path in LOGS.glob("*.log")} == set(CAUSES)


@pytest.mark.parametrize(
    "line",
    [
        "WARN TaskSchedulerImpl: Initial job has not accepted any resources; check your cluster UI to ensure that "
        "workers are registered and have sufficient resources",
        "INFO StandaloneAppClient$ClientEndpoint: Executor updated: app-1/0 is now EXITED (Command exited with code 1)",
        "ERROR StandaloneSchedulerBackend: Application has been killed. Reason: All masters are unresponsive! Giving "
        "up.",
        "ERROR SparkUncaughtExceptionHandler: Uncaught exception in thread Thread[main]",
    ],
)
def test_lines_that_tell_a_cause(line: str) -> None:
    assert first_cause(f"26/11/16 21:00:00 {line}\n") == line.split(": ", 1)[1]


@pytest.mark.parametrize(
    "line",
    [
        "WARN NativeCodeLoader: Unable to load native-hadoop library for your platform",
        "INFO StandaloneAppClient$ClientEndpoint: Executor updated: app-1/0 is now RUNNING",
        "ERROR Executor: Exception in task 0.0 in stage 1.0 (TID 1)",
        "ERROR ErrorUtils: Spark Connect RPC error during: execute. UserId: . SessionId: x.",
    ],
)
def test_everyday_lines_tell_none(line: str) -> None:
    assert first_cause(f"26/11/16 21:00:00 {line}\n") == ""


def test_of_a_long_run_only_the_end_counts() -> None:
    log = HEAD.format(minute="01", level="ERROR") + "A: old\n" + HEAD.format(minute="30", level="ERROR") + "B: new\n"
    assert first_cause(log) == "old"
    assert first_cause(log, datetime(2026, 11, 16, 21, 29)) == "new"


def test_memory_that_ran_out_is_said_without_a_logger() -> None:
    log = 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat x.Y.z(Y.java:1)\n'
    assert first_cause(log).startswith('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space')
