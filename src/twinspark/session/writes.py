"""Rows on their way into a table: typed and named as its columns, checked, written and committed in one step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import duckdb

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame
from twinspark.duck.errors import translated
from twinspark.duck.origins import TESTS, located
from twinspark.errors import NotNative, SparkError
from twinspark.functions.common_types import can_up_cast
from twinspark.functions.typing import type_text
from twinspark.plan.expressions import Cast, Expression
from twinspark.plan.relations import Project, Relation
from twinspark.plan.rewrite import replace_columns, walk
from twinspark.session.native import Query
from twinspark.session.tables_targets import Target, connection_of
from twinspark.session.writes_tasks import TASK, by_task
from twinspark.tables.char_types import stored
from twinspark.tables.delta import DeltaTable
from twinspark.tables.delta_changes import DeltaChanges
from twinspark.tables.ducktext import identifier
from twinspark.tables.file_table import FileTable
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.maintenance import keep_short
from twinspark.tables.iceberg.staged import CommitConflict
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.predicates import Predicate
from twinspark.tables.write import FileRows
from twinspark.types import DecimalType, StructType, is_integral, quote_identifier

TRIES = 5  # of a change whose rows another writer touched meanwhile: it is made again, from what is there then
ARITHMETIC = {"DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO", "ARITHMETIC_OVERFLOW", "INTERVAL_DIVIDED_BY_ZERO"}
Result = TypeVar("Result")


@dataclass(frozen=True)
class Rows:
    """A query whose columns are the table's, in order; the SQL gives them the table's names."""

    query: Query
    schema: StructType

    @classmethod
    def of(cls, frame: Frame, schema: StructType, context: Context) -> "Rows":
        return cls(Query.of(frame.plain(), context, connection_of(context)), schema)

    @property
    def connection(self) -> Any:
        return self.query.cursor

    def select(self) -> str:
        return self.selected(self.query)

    def files(self) -> FileRows:
        """Of rows whose tasks are known each task writes a file."""
        spread = by_task(self.query)
        return FileRows(self.select()) if spread is None else FileRows(self.selected(spread, TASK), TASK)

    def selected(self, query: Query, *more: str) -> str:
        query.bind()
        names = [f"c{at}" for at in range(len(self.schema.fields))]
        stored_columns = [
            f"{stored(name, field)} AS {identifier(field.name)}"
            for name, field in zip(names, self.schema.fields, strict=True)
        ]
        return f"SELECT {', '.join([*stored_columns, *more])} FROM ({query.text}) AS rows({', '.join([*names, *more])})"

    def told(self, failure: SparkError) -> Exception:
        """A value too large for its column, or whatever a cast to it met, is said of the column
        (CheckOverflowInTableInsert); other failures have the place in the text they came from."""
        columns = self.failing(failure)
        own = [column for column in columns if isinstance(column[0], Cast) and is_checked(column[0], failure)]
        if not own:
            return located(failure, self.query.plan)
        if len(columns) > 1 or self.query.has_failing_constants():
            return NotNative(f"{failure.condition}: for which column", nearest=failure)
        ((made, name),) = own
        return overflow_of(made, name)

    def failing(self, failure: SparkError) -> list[tuple[Expression, str]]:
        """The columns, with their names, in which the failure may have happened."""
        plan = self.query.plan
        if not isinstance(plan, Project):
            return []
        made = zip(plan.expressions, self.schema.fields, strict=True)
        return [(each, field.name) for each, field in made if may_meet(through(each, plan.input), failure)]


def overflow_of(made: Expression, name: str) -> SparkError:
    assert isinstance(made, Cast)
    return SparkError(
        "CAST_OVERFLOW_IN_TABLE_INSERT",
        sourceType=type_text(made.child.type),
        targetType=type_text(made.type),
        columnName=quote_identifier(name),
    )


def through(expression: Expression, input: Relation) -> Expression:
    """As Spark sees it when neighbouring projections are one."""
    if not isinstance(input, Project):
        return expression
    below = input.expressions
    return through(replace_columns(expression, lambda column: below[column.index]), input.input)


def may_meet(expression: Expression, failure: SparkError) -> bool:
    if isinstance(expression, Cast) and overflows(expression, failure):
        return True
    test = TESTS.get(failure.condition)
    return test is not None and any(test(node, failure) for node in walk(expression))


def is_checked(made: Cast, failure: SparkError) -> bool:
    """Whether Spark looks after this cast for errors of arithmetic (TableOutputResolver.canCauseCastOverflow)."""
    if overflows(made, failure):
        return True
    narrows = isinstance(made.type, DecimalType) or is_integral(made.type)
    return failure.condition in ARITHMETIC and narrows and not can_up_cast(made.child.type, made.type)


def overflows(made: Cast, failure: SparkError) -> bool:
    """Whether the failure is one that this cast may end with."""
    told = failure.parameters
    if failure.condition == "CAST_OVERFLOW":
        return (type_text(made.child.type), type_text(made.type)) == (told["sourceType"], told["targetType"])
    if failure.condition.startswith("NUMERIC_VALUE_OUT_OF_RANGE") and isinstance(made.type, DecimalType):
        return (str(made.type.precision), str(made.type.scale)) == (told["precision"], told["scale"])
    return False


@contextmanager
def spark_errors(rows: Rows | None = None) -> Iterator[None]:
    """What DuckDB says while it writes, in Spark's terms."""
    try:
        yield
    except duckdb.Error as failure:
        told = translated(failure)
        if rows is not None and isinstance(told, SparkError):
            told = rows.told(told)
        raise told from failure


def again(change: Callable[[], Result]) -> Result:
    for _ in range(TRIES - 1):
        try:
            return change()
        except CommitConflict:
            continue
    return change()


def insert(target: Target, rows: Rows, mode: str) -> None:
    """INSERT INTO (append) or INSERT OVERWRITE (overwrite) of the whole table."""
    with spark_errors(rows):
        if isinstance(target.table, FileTable):
            target.catalog.insert_into_files(target.table, rows.files(), mode, rows.connection)
            return
        again(lambda: target.catalog.insert(target.name.identifier, rows.connection, rows.select(), mode))


def insert_into_partition(target: Target, rows: Rows, mode: str, folder: str) -> None:
    """All rows go to one partition of a table of files, which is there afterwards, even without a row."""
    assert isinstance(target.table, FileTable)
    with spark_errors(rows):
        target.catalog.insert_into_files(
            target.table, rows.files(), mode, rows.connection, mode == "overwrite", partition=folder
        )


def overwrite_partitions(target: Target, rows: Rows) -> None:
    """Dynamic overwrite: only the partitions that the new rows reach."""
    identifier, table = target.name.identifier, target.table
    with spark_errors(rows):
        if isinstance(table, FileTable):
            target.catalog.insert_into_files(table, rows.files(), "overwrite", rows.connection, dynamic=True)
        elif isinstance(table, DeltaTable):
            raise target.refuses("DYNAMIC OVERWRITE")
        else:
            iceberg = target.catalog.iceberg
            again(lambda: dml.overwrite_partitions(iceberg, identifier, rows.connection, rows.select()))
            keep_short(iceberg, identifier)


def overwrite_where(target: Target, rows: Rows, condition: str, predicate: Predicate | None) -> None:
    """Rows for which the condition is true give way to the new ones."""
    changed = changes_of(target, rows.connection)
    name = target.name.identifier
    with spark_errors(rows):
        again(lambda: dml.overwrite_where(changed, name, rows.connection, rows.select(), condition, predicate))
        settle(target)


def changes_of(target: Target, connection: Any) -> IcebergCatalog | DeltaChanges:
    """Where rows of the table are changed in place; tables of files refuse that."""
    if isinstance(target.table, DeltaTable):
        return DeltaChanges(target.table, connection)
    assert target.iceberg
    return target.catalog.iceberg


def settle(target: Target) -> None:
    """After a commit: Iceberg's history is kept short."""
    if isinstance(target.table, IcebergTable):
        keep_short(target.catalog.iceberg, target.name.identifier)
