"""The parent process of one worker: checks the limits of the worker and its descendants, and kills them at the end."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress

LOOK_SECONDS = 0.25
PAGE = os.sysconf("SC_PAGE_SIZE")
WATCHED = {signal.SIGCHLD, signal.SIGTERM}


def block_signals() -> None:
    """Called before the fork, so that no signal is missed; the worker unblocks them again."""
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)


def unblock_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)


def watch(worker: int, memory: int, processes: int, reports: str) -> None:
    """Waits until the worker ends or breaks a limit; then kills all its descendants."""
    while True:
        came = signal.sigtimedwait(WATCHED, LOOK_SECONDS)
        if came is None and (broken := broken_limit(memory, processes)):
            report(reports, broken)
        if (came is None and broken) or (came is not None and came.si_signo == signal.SIGTERM):
            break
        if worker in reap_children():
            break
    kill_all()


def report(reports: str, broken: str) -> None:
    """Writes which limit was broken, before the kill: the server reads it when the worker has ended."""
    print(f"twinspark: a Python worker was killed: {broken}", file=sys.stderr, flush=True)
    with suppress(OSError), open(os.path.join(reports, str(os.getpid())), "x") as file:
        file.write(broken)


def broken_limit(memory: int, processes: int) -> str:
    """Describes the limit that is broken, or returns an empty string."""
    found = list(descendants(os.getpid()))
    if processes and len(found) > processes:
        return f"{len(found)} processes, {processes} allowed"
    used = sum(map(own_memory, found))
    return f"{used} bytes of memory, {memory} allowed" if memory and used > memory else ""


def descendants(process: int) -> Iterator[int]:
    for child in children(process):
        yield child
        yield from descendants(child)


def children(process: int) -> list[int]:
    """Each thread's file lists the processes that it started; an ended process has none."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def own_memory(process: int) -> int:
    """Resident memory that is not shared with files."""
    with suppress(OSError), open(f"/proc/{process}/statm") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * PAGE
    return 0


def reap_children() -> set[int]:
    ended: set[int] = set()
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            ended.add(found)
    return ended


def kill_all() -> None:
    """Orphans become our children when their parents end, so this ends when there is nothing left."""
    with suppress(ChildProcessError):
        while True:
            for process in descendants(os.getpid()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            os.waitpid(-1, 0)
            reap_children()
