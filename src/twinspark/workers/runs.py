"""Runs a Python function over rows: a thread writes the worker's input while the caller reads its output."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO

import duckdb
import pyarrow as pa

from twinspark.errors import JavaError, NotNative, SparkError, reasons
from twinspark.errors.marker import mark_error, mark_fall_back
from twinspark.workers import wire
from twinspark.workers.idle_timeout import open_with_timeout
from twinspark.workers.processes import Pool, Worker
from twinspark.workers.results import Answers, crash_error, kill_error

log = logging.getLogger("twinspark.workers")
Feed = Callable[[IO[bytes]], None]


class Failed(Exception):
    """An error raised inside a DuckDB scan: DuckDB passes on only its text, which `duck.errors` decodes."""


class Runs:
    """Several runs in sequence; each is created when the one before has ended."""

    def __init__(self, makers: Sequence[Callable[[], "Run"]], schema: pa.Schema) -> None:
        self._makers = makers
        self._current: Run | None = None
        self._stopped = False
        self.reader = pa.RecordBatchReader.from_batches(schema, self._batches())

    def stop(self) -> None:
        self._stopped = True
        if self._current is not None:
            self._current.stop()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for make in self._makers:
            self._current = make()
            if self._stopped:
                self._current.stop()
            yield from self._current.batches()


class Run:
    """One task of a worker: `feed` writes its input rows, `shape` turns its batches into those of the plan."""

    def __init__(
        self,
        pool: Pool,
        environment: Mapping[str, str],
        header: bytes,
        feed: Feed,
        schema: pa.Schema,
        shape: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
        idle_seconds: int = 0,
    ) -> None:
        self._pool = pool
        self._environment = environment
        self._header = header
        self._feed = feed
        self._shape = shape
        self._idle_seconds = idle_seconds
        self._pid: int | None = None
        self._fed = False  # whether all rows were sent
        self._worker: Worker | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self.failure: Exception | None = None
        self.falls_back_on_error = False  # whether an exception of the function falls back to Spark
        self.reader = pa.RecordBatchReader.from_batches(schema, self.batches())

    def stop(self) -> None:
        """Kills a worker that is still running: PySpark's workers cannot cancel a task."""
        with self._lock:
            self._stopped = True
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            worker.close()

    def _begin(self) -> Worker:
        worker = self._pool.take(self._environment)
        with self._lock:
            if not self._stopped:
                self._worker = worker
                self._end_in_time(worker)
                threading.Thread(target=self._write, args=(worker,), daemon=True, name="python-feed").start()
                return worker
        worker.kill()
        raise NotNative(reasons.PYTHON_WORKER_FAILED, "the run was stopped")

    def _end_in_time(self, worker: Worker) -> None:
        if not (seconds := self._pool.seconds):
            return

        def end() -> None:
            if self._worker is worker:
                self.failure = kill_error(f"{seconds} seconds are over (twinspark.python.seconds)")
                worker.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()

    def _write(self, worker: Worker) -> None:
        try:
            worker.output.write(self._header)
            self._feed(worker.output)
            worker.output.write(wire.integer(wire.END_OF_STREAM))
            worker.output.flush()
            self._fed = True
        except (
            SparkError,
            NotNative,
            duckdb.Error,
            pa.ArrowException,
        ) as error:  # the query that reads the input rows failed
            self.failure = error
            worker.kill()
        except (OSError, ValueError) as error:  # the worker has ended: the reader raises the error
            log.debug("a Python worker left while rows were written: %s", error)

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._shape(self._answers())
        except Exception as error:
            self.failure = self.failure or self._worker_error(error)
            if self.falls_back_on_error:
                self.failure = NotNative(reasons.PYTHON_WORKER_FAILED, "an exception after a barrier")
            self.stop()
            raise Failed(text_of(self.failure)) from error

    def _source(self, worker: Worker) -> IO[bytes]:
        limit = self._idle_seconds
        return open_with_timeout(worker, limit, lambda: self._fed) if limit else worker.input

    def _worker_error(self, error: Exception) -> Exception:
        """An incomplete stream means that the worker died."""
        broken = isinstance(error, EOFError | OSError | MemoryError | UnicodeDecodeError | pa.ArrowInvalid)
        return crash_error(self._pid, self._environment) if broken else error

    def _answers(self) -> Iterator[pa.RecordBatch]:
        worker = self._begin()
        self._pid = worker.pid
        answers = Answers(self._source(worker))
        yield from answers.batches()
        self._pool.accumulate(answers.accumulated)
        with self._lock:
            self._worker = None
        if answers.reusable:
            self._pool.give_back(worker, self._environment)
        else:
            worker.close()


def text_of(failure: Exception) -> str:
    """The failure as one marked line, which DuckDB embeds in its own message text."""
    if isinstance(failure, SparkError):
        return mark_error(failure.condition, failure.parameters) + "\n"
    if not isinstance(failure, NotNative):
        return mark_fall_back(reasons.PYTHON_WORKER_FAILED, f"{type(failure).__name__}: {failure}") + "\n"
    crash = str(failure.likely_error) if isinstance(failure.likely_error, JavaError) else ""
    return mark_fall_back(failure.cause.reason, failure.cause.detail, crash) + "\n"
