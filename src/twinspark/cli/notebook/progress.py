"""A progress bar in the output of a cell, for statements that take long; Spark Connect reports completed tasks."""

import time
from typing import Any

from IPython.display import HTML, display
from pyspark.sql import SparkSession

from twinspark.cli.notebook import html

QUIET_SECONDS = 0.5  # a statement that ends before shows no bar
EVERY_SECONDS = 0.2


class ProgressBar:
    """Shown while its block runs, and removed afterwards."""

    def __init__(self, session: SparkSession) -> None:
        self._session, self._handle = session, None  # type: SparkSession, Any
        self._began = self._drawn = time.monotonic()

    def __enter__(self) -> "ProgressBar":
        self._session.registerProgressHandler(self.report)
        return self

    def __exit__(self, *_: object) -> None:
        self._session.removeProgressHandler(self.report)
        if self._handle is not None:
            self._handle.update(HTML(""))

    def report(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        tasks = sum(stage.num_tasks for stage in stages or [])
        now = time.monotonic()
        if not tasks or done or now - self._began < QUIET_SECONDS or now - self._drawn < EVERY_SECONDS:
            return
        self._drawn = now
        completed = sum(stage.num_completed_tasks for stage in stages)
        self._draw(HTML(html.progress(completed / tasks, tasks)))

    def _draw(self, shown: HTML) -> None:
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)
