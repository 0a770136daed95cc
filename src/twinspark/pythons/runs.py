"""One run of a Python function: a thread feeds the worker, whoever reads the answers pulls them out."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO

import duckdb
import pyarrow as pa

from twinspark.errors import JavaError, NotNative, SparkError
from twinspark.pythons import wire
from twinspark.pythons.answers import Answers, crashed
from twinspark.pythons.idle import watched
from twinspark.pythons.workers import Pool, Worker

log = logging.getLogger("twinspark.pythons")
Feed = Callable[[IO[bytes]], None]


class Failed(Exception):
    """Travels through DuckDB, which keeps only its text: that is what `duck.errors` reads back."""


class Runs:
    """One run after another, as one: each is made when the one before has ended."""

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
    """`feed` writes the rows; `shape` makes of the worker's batches those of the plan."""

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
        self.is_elsewhere = False  # whether only Spark can say what an exception means
        self.reader = pa.RecordBatchReader.from_batches(schema, self.batches())

    def stop(self) -> None:
        """Kills a worker that is still at it: it cannot be asked to forget its task."""
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
                threading.Thread(target=self._write, args=(worker,), daemon=True, name="python-feed").start()
                return worker
        worker.kill()
        raise NotNative("the run was stopped")

    def _write(self, worker: Worker) -> None:
        try:
            worker.output.write(self._header)
            self._feed(worker.output)
            worker.output.write(wire.integer(wire.END_OF_STREAM))
            worker.output.flush()
            self._fed = True
        except (SparkError, NotNative, duckdb.Error, pa.ArrowException) as error:  # the rows' own query failed
            self.failure = error
            worker.kill()
        except (OSError, ValueError) as error:  # the worker is gone: its reader tells why
            log.debug("a Python worker left while rows were written: %s", error)

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._shape(self._answers())
        except Exception as error:
            self.failure = self.failure or self._known(error)
            if self.is_elsewhere:
                self.failure = NotNative("an exception behind a barrier")
            self.stop()
            raise Failed(text_of(self.failure)) from error

    def _source(self, worker: Worker) -> IO[bytes]:
        limit = self._idle_seconds
        return watched(worker, limit, lambda: self._fed) if limit else worker.input

    def _known(self, error: Exception) -> Exception:
        """A stream that breaks off is a worker that died."""
        broken = isinstance(error, EOFError | OSError | pa.ArrowInvalid)
        return crashed(self._pid, self._environment) if broken else error

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
    if isinstance(failure, SparkError):
        plain = {name: escaped(value) for name, value in failure.parameters.items()}
        return encoded(failure.condition, plain) + "\n\nLINE "  # the mark where DuckDB's own words begin
    reason = failure.reason if isinstance(failure, NotNative) else f"{type(failure).__name__}: {failure}"
    crash = failure.nearest if isinstance(failure, NotNative) else None
    told = {"crash": escaped(str(crash))} if isinstance(crash, JavaError) else {}
    return encoded("ELSEWHERE", {"reason": escaped(" ".join(reason.split())), **told}) + "\n"


def escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\n", "%0A")


def encoded(condition: str, parameters: Mapping[str, str]) -> str:
    """As functions.spelling.error_text, of values whose percent signs are escaped already."""
    parts = [f"{k}={v.replace('|', '%7C').replace('=', '%3D')}" for k, v in parameters.items()]
    return "|".join([f"SPARK:{condition}", *parts])
