"""Waits for the threads in which PyIceberg writes a commit's manifests, so that none writes after the commit failed."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pyiceberg.utils.concurrent import ExecutorFactory

_STARTED: ContextVar[list[Future[Any]] | None] = ContextVar("commit_tasks", default=None)


class CommitExecutor(ThreadPoolExecutor):
    """A thread pool that records the tasks which a commit submits."""

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future = super().submit(task, *arguments, **named)
        if (started := _STARTED.get()) is not None:
            started.append(future)
        return future


@contextmanager
def wait_for_commit_tasks() -> Iterator[None]:
    """Ends when every task has ended that PyIceberg started inside.

    `_SnapshotProducer._manifests` writes the manifests of added and of deleted files in two threads, and raises as soon
    as the first fails; the second may still be about to create its file.
    """
    install_executor()
    started: list[Future[Any]] = []
    token = _STARTED.set(started)
    try:
        yield
    finally:
        _STARTED.reset(token)
        wait(started)


def install_executor() -> None:
    """Replaces PyIceberg's thread pool; a forked process starts without one."""
    if not isinstance(ExecutorFactory.get_or_create(), CommitExecutor):
        ExecutorFactory._instance = CommitExecutor(max_workers=ExecutorFactory.max_workers())
