"""A compiled plan bound to the DuckDB cursor on which it runs, with its checks and observed metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.observations import Observation, accumulated_in_python, observations_of
from twinspark.compile.pipeline import CompiledPlan, compile_plan, compile_rows, compile_write
from twinspark.duck import run
from twinspark.duck.constants import constants_of, has_fallible_constants
from twinspark.duck.eager_rows import eager_projections
from twinspark.duck.statement import Statement
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.relations import (
    FailingRelation,
    FileRecords,
    LocalData,
    Observe,
    Relation,
    Scan,
    Values,
    relations_in,
)
from twinspark.read.proto import read_relation
from twinspark.spark_order.sketch_bytes import check_displayed_sketches, is_sketch
from twinspark.tables.files.file_cache import LruCache
from twinspark.types import has_time

Cursor: TypeAlias = duckdb.DuckDBPyConnection
FAILING_CONSTANTS = LruCache[bool](1000)  # by SQL text: whether its constants fail


def stream_rows(plan: Relation, context: Context, cursor: Cursor) -> pa.RecordBatchReader:
    """Runs a plan whose row order does not matter: constants, values of a PIVOT, observed metrics."""
    made = compile_rows(plan, context)
    return run.execute(cursor, made.text, made.statement, made.plan, context.settings)


def compute_rows(plan: Relation, context: Context, cursor: Cursor) -> None:
    """Runs a plan only for the errors that it raises."""
    made = compile_rows(plan, context)
    run.compute(cursor, made.text, made.statement, made.plan, context.settings)


@dataclass(frozen=True)
class CompiledQuery:
    """A compiled plan, bound to the cursor on which it will run. It has SQL text, so it does not fall back to Spark."""

    compiled: CompiledPlan
    context: Context
    cursor: Cursor
    observed: tuple[Observation, ...] = ()
    # facts about the plan, computed once for all runs of it
    noted: dict[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def read(cls, message: relations_pb2.Relation, context: Context, cursor: Cursor) -> CompiledQuery:
        return cls.of(read_relation(message, context), context, cursor, message)

    @classmethod
    def of(
        cls, plan: Relation, context: Context, cursor: Cursor, message: relations_pb2.Relation | None = None
    ) -> CompiledQuery:
        """Compiles a plan; metrics of DataFrame.observe are sent to the client that sent the message."""
        return cls.bound(compile_plan(plan, context), context, cursor, message)

    @classmethod
    def of_write(
        cls, plan: Relation, context: Context, cursor: Cursor, message: relations_pb2.Relation | None = None
    ) -> CompiledQuery:
        """Compiles rows that go into files; if `has_tasks`, their last column is the task number."""
        return cls.bound(compile_write(plan, context), context, cursor, message)

    @classmethod
    def bound(
        cls, made: CompiledPlan, context: Context, cursor: Cursor, message: relations_pb2.Relation | None
    ) -> CompiledQuery:
        if context.operation.compiled is not None:
            context.operation.compiled.append(made)
        observed = observations_of(made.plan, message) if made.contents.has(Observe) else ()
        return cls(made, context, cursor, tuple(observed))

    @property
    def plan(self) -> Relation:
        return self.compiled.plan

    @property
    def text(self) -> str:
        return self.compiled.text

    @property
    def statement(self) -> Statement:
        return self.compiled.statement

    @property
    def has_tasks(self) -> bool:
        return self.compiled.has_tasks

    def stream(self, months: bool = False) -> pa.RecordBatchReader:
        """`months` allows year-month intervals among the rows; pyarrow cannot read their values."""
        if self.is_empty:
            # a command's empty result; DuckDB needs at least one column
            return pa.RecordBatchReader.from_batches(pa.schema([]), [])
        if not self.context.settings.time_type and has_time(self.plan.schema):
            raise SparkError("UNSUPPORTED_TIME_TYPE")  # SparkConnectPlanExecution.processAsArrowBatches
        self.note("checked", self.check)
        for each in self.note("early", self.early_projections):
            compute_rows(each, self.context, self.cursor)
        settings, tells = self.context.settings, self.note("tells", self.reports_progress)
        rows = run.execute(self.cursor, self.text, self.statement, self.plan, settings, months, tells)
        if self.has_failing_constants():
            rows.read_all()  # a row that evaluates the constant raises Spark's error
            raise NotNative(reasons.ERROR_TIMING, "a constant expression fails, which Spark reports even without rows")
        return rows

    def note(self, name: str, make: Callable[[], Any]) -> Any:
        """Computes a fact once for all runs of this plan."""
        if name not in self.noted:
            self.noted[name] = make()
        return self.noted[name]

    @property
    def is_short(self) -> bool:
        return bool(self.note("short", lambda: run.is_short(self.plan, self.compiled.contents)))

    def reports_progress(self) -> bool:
        return not (self.is_short or run.is_small_scan(self.plan))

    def early_projections(self) -> list[Relation]:
        return eager_projections(self.plan) if self.compiled.contents.has(LocalData, Values) else []

    @property
    def is_constant(self) -> bool:
        """Whether no SQL runs, since the plan is its rows."""
        return self.is_empty or run.is_constant(self.plan, self.context.settings)

    @property
    def is_empty(self) -> bool:
        return isinstance(self.plan, LocalData) and not self.plan.fields and not self.plan.table.num_rows

    def has_failing_constants(self) -> bool:
        constants = self.note("constants", self.constants)
        if constants is None:
            return False
        key = f"{self.context.settings.zone} {constants.text}"
        return FAILING_CONSTANTS.get(key, lambda: self.fails(constants))

    def constants(self) -> CompiledPlan | None:
        found = constants_of(self.plan) if has_fallible_constants(self.compiled.contents) else None
        return None if found is None else compile_rows(found, self.context)

    def fails(self, constants: CompiledPlan) -> bool:
        cursor, settings = self.cursor.cursor(), self.context.settings
        try:
            run.compute(cursor, constants.text, constants.statement, constants.plan, settings)
        except (SparkError, NotNative):
            return True
        return False

    def bind(self) -> None:
        """Registers on the cursor what the SQL refers to, for callers that embed the SQL in a statement of their
        own."""
        self.note("checked", self.check)
        for each in self.observed:
            self.collect_metrics(each)
        self.cursor.execute(run.PROGRESS)
        run.prepare(self.cursor, self.statement, self.context.settings)

    def check(self) -> None:
        self.check_failing_relations()
        self.check_sketches()

    def check_failing_relations(self) -> None:
        for each in relations_in(self.plan) if self.compiled.contents.has(FailingRelation, FileRecords) else ():
            if isinstance(each, FailingRelation):
                raise each.error

    def check_sketches(self) -> None:
        """Sketches that are displayed or written must have the same bytes as in Spark."""
        if any(map(is_sketch, self.compiled.contents.computed)):
            check_displayed_sketches(self.plan, lambda: self.compiled.ordered)

    def collect_metrics(self, each: Observation) -> None:
        """Computes metrics before the rows are written, since the rows may come from the table they are written to."""
        if self.context.observed is None:
            raise NotNative(reasons.OBSERVATION, "rows that are written")
        self.context.observed[each.name] = each.serialize(self.metrics(each))

    def metrics(self, each: Observation) -> pa.Table:
        return stream_rows(each.metrics, self.context, self.cursor).read_all()

    def observations(self) -> Iterator[bytes]:
        """Serialized metrics, available once all rows have been read."""
        for each in self.observed:
            yield each.serialize(self.metrics(each))
        yield from accumulated_in_python(self.context)

    @property
    def scan_bytes(self) -> int:
        return scan_bytes_of(self.compiled)

    @property
    def input_files(self) -> list[str]:
        return list(dict.fromkeys(file for each in scans(self.plan) for file in each.input_files))


def scan_bytes_of(compiled: CompiledPlan) -> int:
    """What full scans of the plan's files read; files that filters exclude are not among them."""
    return sum(each.size_in_bytes for each in scans(compiled.plan)) if compiled.contents.has(Scan) else 0


def scans(plan: Relation) -> Iterator[Scan]:
    if isinstance(plan, Scan):
        yield plan
    for each in plan.inputs:
        yield from scans(each)
