"""Writes rows into a table: cast and named as its columns, checked, written and committed in one step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import duckdb

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame
from twinspark.commands.ddl.targets import Target, connection_of
from twinspark.commands.dml.task_files import TASK
from twinspark.compile.query import CompiledQuery
from twinspark.duck.error_origins import TESTS, locate_error
from twinspark.duck.errors import translate_error
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import can_up_cast
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Cast, Expression
from twinspark.plan.relations import Project, Relation
from twinspark.plan.rewrite import replace_columns, walk
from twinspark.tables.char_types import write_value
from twinspark.tables.delta.changes import DeltaChanges
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.files.table import FileTable
from twinspark.tables.files.write import FileRows
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.maintenance import keep_short
from twinspark.tables.iceberg.staged_write import CommitConflict
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.predicates import Predicate
from twinspark.types import DecimalType, StructType, is_integral, quote_identifier
from twinspark.types.duckdb import duck_name

TRIES = 5  # attempts of a change that conflicts with a concurrent writer: it is computed again from the new state
ARITHMETIC = {"DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO", "ARITHMETIC_OVERFLOW", "INTERVAL_DIVIDED_BY_ZERO"}
Result = TypeVar("Result")


@dataclass(frozen=True)
class Rows:
    """A query whose columns are the table's, in order; its SQL gives them the table's names."""

    query: CompiledQuery
    schema: StructType

    @classmethod
    def of(cls, frame: Frame, schema: StructType, context: Context, into_files: bool) -> "Rows":
        """`into_files`: each of Spark's tasks writes a file; other tables keep all rows of a statement together."""
        compiled = CompiledQuery.of_write if into_files else CompiledQuery.of
        return cls(compiled(frame.plain(), context, connection_of(context)), schema)

    @property
    def connection(self) -> Any:
        return self.query.cursor

    def files(self) -> FileRows:
        """If the rows' tasks are known, each task writes a file."""
        return FileRows(self.select(TASK), TASK) if self.query.has_tasks else FileRows(self.select())

    def select(self, *more: str) -> str:
        self.query.bind()
        names = [f"c{at}" for at in range(len(self.schema.fields))]
        stored_columns = [
            f"{write_value(name, field)} AS {duck_name(field.name)}"
            for name, field in zip(names, self.schema.fields, strict=True)
        ]
        columns = ", ".join([*names, *more])
        return f"SELECT {', '.join([*stored_columns, *more])} FROM ({self.query.text}) AS rows({columns})"

    def column_error(self, failure: SparkError) -> Exception:
        """An overflow, or another error of the cast to the column's type, is reported for the column
        (CheckOverflowInTableInsert); other errors keep their source position."""
        columns = self.failing(failure)
        own = [column for column in columns if isinstance(column[0], Cast) and is_checked(column[0], failure)]
        if not own:
            return locate_error(failure, self.query.plan)
        if len(columns) > 1 or self.query.has_failing_constants():
            return NotNative(reasons.ERROR_POSITION, f"{failure.condition} names a column", likely_error=failure)
        ((made, name),) = own
        return overflow_of(made, name)

    def failing(self, failure: SparkError) -> list[tuple[Expression, str]]:
        """The columns, with their names, in which the failure may have occurred."""
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
    """The expression after merging neighbouring projections, as Spark sees it."""
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
    """Whether Spark checks this cast for arithmetic errors (TableOutputResolver.canCauseCastOverflow)."""
    if overflows(made, failure):
        return True
    narrows = isinstance(made.type, DecimalType) or is_integral(made.type)
    return failure.condition in ARITHMETIC and narrows and not can_up_cast(made.child.type, made.type)


def overflows(made: Cast, failure: SparkError) -> bool:
    """Whether this cast can raise the failure."""
    parameters = failure.parameters
    if failure.condition == "CAST_OVERFLOW":
        return (type_text(made.child.type), type_text(made.type)) == (
            parameters["sourceType"],
            parameters["targetType"],
        )
    if failure.condition.startswith("NUMERIC_VALUE_OUT_OF_RANGE") and isinstance(made.type, DecimalType):
        return (str(made.type.precision), str(made.type.scale)) == (parameters["precision"], parameters["scale"])
    return False


@contextmanager
def spark_errors(rows: Rows | None = None) -> Iterator[None]:
    """Translates DuckDB's errors during a write into Spark's."""
    try:
        yield
    except duckdb.Error as failure:
        error = translate_error(failure)
        if rows is not None and isinstance(error, SparkError):
            error = rows.column_error(error)
        raise error from failure


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
        if isinstance(table := target.table, DeltaTable):
            again(lambda: table.write(rows.select(), mode, rows.connection))
            return
        again(lambda: target.catalog.insert(target.name.identifier, rows.connection, rows.select(), mode))


def insert_into_partition(target: Target, rows: Rows, mode: str, folder: str) -> None:
    """Writes all rows to one partition of a table of files, which is created even without rows."""
    assert isinstance(target.table, FileTable)
    with spark_errors(rows):
        target.catalog.insert_into_files(
            target.table, rows.files(), mode, rows.connection, mode == "overwrite", partition=folder
        )


def overwrite_partitions(target: Target, rows: Rows) -> None:
    """Dynamic overwrite: replaces only the partitions of the new rows."""
    identifier, table = target.name.identifier, target.table
    with spark_errors(rows):
        if isinstance(table, FileTable):
            target.catalog.insert_into_files(table, rows.files(), "overwrite", rows.connection, dynamic=True)
        elif isinstance(table, DeltaTable):
            raise target.unsupported_error("DYNAMIC OVERWRITE")
        else:
            iceberg = target.catalog.iceberg
            again(lambda: dml.overwrite_partitions(iceberg, identifier, rows.connection, rows.select()))
            keep_short(iceberg, identifier)


def overwrite_where(target: Target, rows: Rows, condition: str, predicate: Predicate | None) -> None:
    """Replaces the rows that match the condition by the new ones."""
    changed = changes_of(target, rows.connection)
    name = target.name.identifier
    with spark_errors(rows):
        again(lambda: dml.overwrite_where(changed, name, rows.connection, rows.select(), condition, predicate))
        settle(target)


def changes_of(target: Target, connection: Any) -> IcebergCatalog | DeltaChanges:
    """The object that changes rows of the table in place; tables of files raise UNSUPPORTED_FEATURE."""
    if isinstance(target.table, DeltaTable):
        return DeltaChanges(target.table, connection)
    assert target.iceberg
    return target.catalog.iceberg


def settle(target: Target) -> None:
    """After a commit: expires old Iceberg snapshots."""
    if isinstance(target.table, IcebergTable):
        keep_short(target.catalog.iceberg, target.name.identifier)
