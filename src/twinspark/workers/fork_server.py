"""Forks worker processes: PySpark's `daemon.worker` with limits, and with our serializers for pickled rows (`inside`).

Run as `python -P -m twinspark.workers.fork_server`. Its standard input is a socket on which the server sends, for each
worker, its limits and one end of a new pair of sockets. Nobody else can request a worker, so there is no port and no
secret. The process ends when that socket is closed."""

import gc
import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from functools import cache
from typing import Any

from pyspark.daemon import worker
from pyspark.util import enable_faulthandler

from twinspark.workers.inside import confine, guard, main, planners
from twinspark.workers.processes import MODULE, REQUEST_BYTES

WORKER = "pyspark_worker_of_twinspark"  # daemon.worker takes names that begin with pyspark
ADOPTED_SECONDS = 1.0


def serve(control: socket.socket) -> None:
    """Answers each request with the process id of the new worker, or with a negative errno."""
    confine.adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    started: set[int] = set()
    control.settimeout(ADOPTED_SECONDS)
    while True:
        try:
            message, given, _, _ = socket.recv_fds(control, REQUEST_BYTES, 1)
        except TimeoutError:
            end_adopted(started)
            continue
        if not message:
            return
        with socket.socket(fileno=given[0]) as connection:
            number = start(json.loads(message), connection, control)
        started.add(number)
        control.sendall(number.to_bytes(8, "big", signed=True))


def end_adopted(started: set[int]) -> None:
    """Kills the processes that a killed guard left running: children that this process did not start."""
    found = set(guard.children(os.getpid()))
    for process in found - started:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    started &= found


def start(request: dict[str, Any], connection: socket.socket, control: socket.socket) -> int:
    request["user"] = request["user"] if is_possible(request["user"]) else None
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError as error:
        return -(error.errno or 1)
    if child == 0:
        control.close()
        run_and_exit(request, connection, parent)
    return child


@cache
def is_possible(user: int | None) -> bool:
    if user is None or confine.can_become(user):
        return True
    print(
        "twinspark: Python functions run as root: other users cannot read this interpreter's modules"
        " (docs/operate/security.md, Python workers)",
        file=sys.stderr,
        flush=True,
    )
    return False


def run_and_exit(request: dict[str, Any], connection: socket.socket, parent: int) -> None:
    try:
        os.environ.update(request["environment"])
        with enable_faulthandler():  # its file is named after the guard's process id, which the server knows
            run_guarded(request, connection, parent) if confine.LINUX else run(request, connection)
    except BaseException:  # noqa: BLE001 (the frames above belong to the parent process)
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def run_guarded(request: dict[str, Any], connection: socket.socket, parent: int) -> None:
    guard.block_signals()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    confine.adopt_orphans()
    confine.die_with_parent(parent, signal.SIGTERM)
    own = os.getpid()
    child = os.fork()
    if child:
        confine.close_all_but(set())
        guard.watch(child, request["memory"], request["processes"], request["report"])
        return
    guard.unblock_signals()
    os.setsid()
    confine.confine(request)
    confine.die_with_parent(own, signal.SIGKILL)  # a change of user resets it
    run(request, connection)
    os._exit(0)


def run(request: dict[str, Any], connection: socket.socket) -> None:
    """Runs tasks until one fails or the server closes the connection (pyspark.daemon.manager)."""
    sys.modules[WORKER] = planners if MODULE in os.environ else main
    sys.argv = [sys.argv[0], WORKER]
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # descriptor 0 stays open: SPARK-26175
    os.close(null)
    while has_task(connection) and worker(connection, True) == 0:
        gc.collect()
    with suppress(OSError):
        while connection.recv(1024):  # waits for the other side to close
            pass


def has_task(connection: socket.socket) -> bool:
    """Waits for a task; PySpark's worker would log an error when the connection is closed instead."""
    with suppress(OSError):
        return bool(connection.recv(1, socket.MSG_PEEK))
    return False


if __name__ == "__main__":
    os.dup2(2, 1)  # what functions print goes to standard error
    serve(socket.socket(fileno=os.dup(0)))
