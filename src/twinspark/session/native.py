"""The seam to the embedded engine: plans read, typed and run on DuckDB; NotNative says why one is Spark's."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa

from twinspark.analysis.char_compares import check_char_compares
from twinspark.analysis.context import Context
from twinspark.analysis.partitions import partitions_of
from twinspark.analysis.products import check_products
from twinspark.analysis.python_sorts import with_called_keys
from twinspark.analysis.row_order import in_spark_order
from twinspark.analysis.shown_sketches import check_shown_sketches
from twinspark.analysis.sorted_windows import over_sorts
from twinspark.analysis.stable_sorts import with_stable_sort
from twinspark.duck import native, run
from twinspark.duck.constants import constants_of
from twinspark.duck.early_rows import early
from twinspark.duck.lazy_errors import check_filtered_arguments
from twinspark.errors import NotNative, SparkError
from twinspark.plan.asked import with_records
from twinspark.plan.relations import LocalData, Refused, Relation, Scan, relations_in
from twinspark.read.proto import read_relation
from twinspark.session.observations import Observation, accumulated_in_python, observations_of
from twinspark.session.spark_catalog import SparkCatalog
from twinspark.session.tables_session import ServerCatalogs, SessionTables
from twinspark.spark.java import declared_version
from twinspark.tables.file_metadata import telling
from twinspark.tables.files import FileScan, ScanContext, scan
from twinspark.tables.kept import Kept
from twinspark.types import has_time

log = logging.getLogger("twinspark.native")
CLOSING_SECONDS = 5.0
Cursor: TypeAlias = duckdb.DuckDBPyConnection
FAILING_CONSTANTS = Kept[bool](1000)  # whether the constants of a SQL text fail


class NativeEngine:
    """One DuckDB database for the server, one cursor for each operation."""

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._database: Cursor | None = None

    def cursor(self) -> Cursor:
        with self._lock:
            if self._database is None:
                self._database = run.connect(**self._settings)
                tell_java(self._database)
            return self._database.cursor()

    def close(self) -> None:
        with self._lock:
            database, self._database = self._database, None
        if database is not None:
            close_when_idle(database)


def close_when_idle(database: Cursor) -> None:
    """Interrupted queries take a moment to notice; one that does not notice at all keeps its database."""
    until = time.monotonic() + CLOSING_SECONDS
    while time.monotonic() < until:
        try:
            database.close()
            return
        except duckdb.ResourceInUseException:
            time.sleep(0.01)
    log.warning("a query is still running, its database stays open")


def tell_java(database: Cursor) -> None:
    """The text of doubles is that of the Java which would run Spark here."""
    version = declared_version()
    if version is not None:
        native.use_java(database, version)


@dataclass
class Surroundings:
    """What a session gives to the reading of a plan."""

    config: Mapping[str, str]
    settings: Mapping[str, str]  # only what was set
    views: Mapping[tuple[str, ...], Any]
    local_relations: Callable[[str], bytes]
    catalog: str
    database: str
    user: str
    session_id: str
    catalogs: ServerCatalogs | None = None
    functions: Any = None
    pythons: Any = None
    checkpoints: Any = None
    cache: Any = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    locals: Mapping[tuple[str, ...], Any] = field(default_factory=dict)
    elsewhere: SparkCatalog | None = None  # where tables may be that ours do not know

    def context(self, cursor: Cursor) -> Context:
        scan_context = ScanContext(cursor, self.settings)
        return Context(
            config=self.config,
            views=self.views,
            local_relations=self.local_relations,
            scan_files=partial(scan_files, scan_context),
            collect=partial(collect, cursor),
            tables=self.tables(scan_context),
            functions=self.functions,
            pythons=self.pythons,
            relations=self.checkpoints,
            cache=self.cache,
            variables=self.variables,
            locals=self.locals,
            catalog=self.catalog,
            database=self.database,
            user=self.user,
            session_id=self.session_id,
        )

    def tables(self, scan_context: ScanContext) -> SessionTables | None:
        if self.catalogs is None:
            return None
        return SessionTables(self.catalogs, self.config, scan_context, self.elsewhere)


def collect(cursor: Cursor, relation: Relation, context: Context) -> pa.Table:
    """The rows that a plan's shape depends on: the values to pivot over, say."""
    return run.stream(cursor, relation, context.settings).read_all()


def in_order(plan: Relation, context: Context) -> Relation:
    called = with_called_keys(plan)
    ordered = in_spark_order(called, partitions_of(context.config), context.settings)
    return with_stable_sort(ordered if ordered is not called else over_sorts(called))


def scan_files(files: ScanContext, format: str, paths: Any, options: Any, schema: Any, context: Context) -> FileScan:
    return scan(format, paths, options, schema, telling(files, context.asks_files))


@dataclass(frozen=True)
class Query:
    """A typed plan, bound to the cursor it will run on; its SQL is already written, so it is known to be native."""

    plan: Relation
    text: str
    statement: Any
    context: Context
    cursor: Cursor
    observed: tuple[Observation, ...] = ()
    noted: dict[str, Any] = field(default_factory=dict, compare=False)  # of the plan, once for all who run it

    @classmethod
    def read(cls, message: Any, context: Context, cursor: Cursor) -> "Query":
        return cls.of(read_relation(message, context), context, cursor, message)

    @classmethod
    def of(cls, plan: Relation, context: Context, cursor: Cursor, message: Any = None) -> "Query":
        """Files that its filters rule out are not read; what is observed is told to whoever sent the message."""
        if context.cache:
            plan = context.cache.substituted(plan, context)
        if context.tables is not None:
            plan = context.tables.pruned(plan)
        plan = with_records(plan)
        check_char_compares(plan)
        check_products(plan, context.config)
        check_filtered_arguments(plan)
        text, statement = run.sql_of(in_order(plan, context))
        observed = tuple(observations_of(plan, message))
        return cls(plan, text, statement, context, cursor, observed)

    def stream(self, months: bool = False) -> pa.RecordBatchReader:
        """With `months` intervals of months may be among the rows: pyarrow cannot open them."""
        if isinstance(self.plan, LocalData) and not self.plan.fields and not self.plan.table.num_rows:
            return pa.RecordBatchReader.from_batches(pa.schema([]), [])  # a command's result; DuckDB needs a column
        if not self.context.settings.time_type and has_time(self.plan.schema):
            raise SparkError("UNSUPPORTED_TIME_TYPE")  # SparkConnectPlanExecution.processAsArrowBatches
        self.note("checked", self.check)
        for each in self.note("early", lambda: list(early(self.plan))):
            run.compute(self.cursor, each, self.context.settings)
        settings, tells = self.context.settings, self.note("tells", lambda: run.tells_progress(self.plan))
        rows = run.execute(self.cursor, self.text, self.statement, self.plan, settings, months, tells)
        if self.has_failing_constants():
            rows.read_all()  # a row that meets the constant fails with Spark's words
            raise NotNative("a constant that fails: Spark needs no row for that")
        return rows

    def note(self, name: str, make: Callable[[], Any]) -> Any:
        """Worked out once for all who run this plan."""
        if name not in self.noted:
            self.noted[name] = make()
        return self.noted[name]

    @property
    def is_short(self) -> bool:
        return bool(self.note("short", lambda: run.is_short(self.plan)))

    def has_failing_constants(self) -> bool:
        constants = self.note("constants", lambda: constants_of(self.plan))
        if constants is None:
            return False
        text = self.note("their text", lambda: run.sql_of(constants)[0])
        return FAILING_CONSTANTS.get(f"{self.context.settings.zone} {text}", lambda: self.fails(constants))

    def fails(self, constants: Relation) -> bool:
        try:
            run.compute(self.cursor.cursor(), constants, self.context.settings)
        except (SparkError, NotNative):
            return True
        return False

    def bind(self) -> None:
        """Puts what the SQL needs besides itself on the cursor, for those who run the SQL inside their own."""
        self.note("checked", self.check)
        for each in self.observed:
            self.tell(each)
        self.cursor.execute(run.PROGRESS)
        run.prepare(self.cursor, self.statement, self.context.settings)

    def check(self) -> None:
        self.check_refused()
        self.check_sketches()

    def check_refused(self) -> None:
        for each in relations_in(self.plan):
            if isinstance(each, Refused):
                raise each.error

    def check_sketches(self) -> None:
        """Shown or written, their bytes have to be Spark's."""
        check_shown_sketches(self.plan, lambda: in_order(self.plan, self.context))

    def tell(self, each: Observation) -> None:
        """Before the rows are written: they may come from the table they go to."""
        if self.context.observed is None:
            raise NotNative("rows observed while they are written")
        metrics = run.stream(self.cursor, each.metrics, self.context.settings).read_all()
        self.context.observed[each.name] = each.told(metrics)

    def observations(self) -> Iterator[bytes]:
        """What was observed of the rows, once they have passed."""
        for each in self.observed:
            yield each.told(run.stream(self.cursor, each.metrics, self.context.settings).read_all())
        yield from accumulated_in_python(self.context)

    @property
    def scan_bytes(self) -> int:
        return sum(each.size_in_bytes for each in scans(self.plan))

    @property
    def input_files(self) -> list[str]:
        return list(dict.fromkeys(file for each in scans(self.plan) for file in each.input_files))


def scans(plan: Relation) -> Iterator[Scan]:
    if isinstance(plan, Scan):
        yield plan
    for each in plan.inputs:
        yield from scans(each)
