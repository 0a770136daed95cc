"""Detects a driver of a standalone cluster that lost its master and all executors: it answers, but no job will end.

A restarted master does not know the application (without spark.deploy.recoveryMode), so no executor returns, and after
its first job Spark does not warn of it: TaskSchedulerImpl's starvation timer has stopped by then."""

import re

CONNECTED = "Connected to Spark cluster with app ID"  # StandaloneSchedulerBackend.connected
MASTER_CHANGED = "Master has changed, new master is at"  # StandaloneAppClient: a master that recovered the application
DISCONNECTED = "Disconnected from Spark cluster!"  # StandaloneSchedulerBackend.disconnected
GRANTED = re.compile(r"Granted executor ID \S+/(\d+) on")
REMOVED = re.compile(
    r"Lost executor (\d+) on|Executor \S+/(\d+) removed|Executor updated: \S+/(\d+) is now (?!RUNNING)"
)


def is_stranded(log: str) -> bool:
    if log.rfind(DISCONNECTED) <= max(log.rfind(CONNECTED), log.rfind(MASTER_CHANGED)):
        return False
    removed = {number for found in REMOVED.finditer(log) for number in found.groups() if number}
    return set(GRANTED.findall(log)) <= removed
