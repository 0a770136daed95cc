"""Runs a grouped function over chunks of groups in several workers at once; results keep the order of the groups."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain

import duckdb
import pyarrow as pa

from twinspark.errors import NotNative, SparkError
from twinspark.workers.input_rows import Group
from twinspark.workers.runs import Failed, Run, text_of

WORKERS = max(2, min(4, os.cpu_count() or 2))
MOST_GROUPS, MOST_ROWS = 250, 100_000
HUGE = 1_000_000  # rows above which a group is streamed instead of held in memory


@dataclass
class Chunk:
    """Some groups; the last group of an open chunk is still being read."""

    groups: list[Group] = field(default_factory=list)
    rows: int = 0
    is_open: bool = False

    @property
    def is_full(self) -> bool:
        return self.is_open or len(self.groups) >= MOST_GROUPS or self.rows >= MOST_ROWS

    def add(self, key: tuple[object, ...], batches: Iterator[pa.RecordBatch]) -> None:
        held: list[pa.RecordBatch] = []
        rows = 0
        for batch in batches:
            held.append(batch)
            rows += batch.num_rows
            if rows > HUGE:
                self.is_open = True
                break
        self.groups.append((key, chain(held, batches) if self.is_open else iter(held)))
        self.rows += rows


def chunks(groups: Iterator[Group]) -> Iterator[Chunk]:
    chunk = Chunk()
    for key, batches in groups:
        chunk.add(key, batches)
        if chunk.is_full:
            yield chunk
            chunk = Chunk()
    if chunk.groups:
        yield chunk


class ChunkedRun:
    """One run for each chunk; several runs at once if there is more than one chunk."""

    def __init__(self, found: Iterator[Group], make: Callable[[Chunk], Run], schema: pa.Schema) -> None:
        self._chunks = chunks(found)
        self._make = make
        self._running: list[Run] = []
        self._stopped = False
        self.reader = pa.RecordBatchReader.from_batches(schema, self._batches())

    def stop(self) -> None:
        self._stopped = True
        for run in list(self._running):
            run.stop()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            first = next(self._chunks, Chunk())
            second = None if first.is_open else next(self._chunks, None)  # an open chunk must be read to its end first
            if second is None:
                yield from self._run(first).batches()
            yield from self._at_once(chain([] if second is None else [first, second], self._chunks))
        except (
            SparkError,
            NotNative,
            duckdb.Error,
            pa.ArrowException,
        ) as error:  # the query that reads the input rows failed
            self.stop()
            raise Failed(text_of(error)) from error

    def _at_once(self, found: Iterator[Chunk]) -> Iterator[pa.RecordBatch]:
        pool = ThreadPoolExecutor(WORKERS, "python-chunk")
        waiting: deque[Future[list[pa.RecordBatch]]] = deque()
        try:
            for chunk in found:
                while waiting and (chunk.is_open or len(waiting) > WORKERS):
                    yield from waiting.popleft().result()
                if chunk.is_open:
                    yield from self._run(chunk).batches()
                else:
                    waiting.append(pool.submit(self._run_whole, chunk))
            while waiting:
                yield from waiting.popleft().result()
        finally:
            self.stop()
            pool.shutdown(wait=False, cancel_futures=True)

    def _run_whole(self, chunk: Chunk) -> list[pa.RecordBatch]:
        run = self._run(chunk)
        found = list(run.batches())
        self._running.remove(run)
        return found

    def _run(self, chunk: Chunk) -> Run:
        run = self._make(chunk)
        self._running.append(run)
        if self._stopped:
            run.stop()
        return run
