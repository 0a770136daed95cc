"""INSERT: INTO, OVERWRITE, with a list of columns, BY NAME, PARTITION, and REPLACE WHERE."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.commands.ddl.targets import at_name, connection_of, write_target, written_parts
from twinspark.commands.dml.file_checks import check_not_read
from twinspark.commands.dml.replace_where import filter_condition, replacing, table_frame
from twinspark.commands.dml.schema_evolution import evolve_table
from twinspark.commands.dml.source import Source, write_rows_of
from twinspark.commands.dml.sql_arguments import in_place, query_message, walk_of
from twinspark.commands.dml.store_assignment import DEFAULT
from twinspark.commands.dml.write import Rows, insert, insert_into_partition, overwrite_partitions
from twinspark.commands.dml.write_statement import WriteStatement
from twinspark.commands.names import with_position
from twinspark.commands.results import Answer, answer
from twinspark.compile.query import stream_rows
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import parse_expression, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.sql_text import check_functions_known, parser_config
from twinspark.read.walk import read_query
from twinspark.read.walk.queries import with_ctes
from twinspark.sessions.services import Services
from twinspark.tables.files.partition_columns import partition_folder
from twinspark.tables.files.table import FileTable
from twinspark.tables.transforms import Identity
from twinspark.types import StringType, StructField, quote_identifier

Command = Callable[[], Answer]


@dataclass(frozen=True)
class Insertion(WriteStatement):
    """An INSERT statement and the table it writes to."""

    statement: tree.Insert
    node: tree.InsertTarget

    # ---- the query

    def source(self) -> Source:
        ctes = self.statement.ctes
        spans = [(node.start, node.stop) for node in (ctes, self.statement.query) if node is not None]
        return Source(self.read, lambda: query_message(in_place(self.walk.text, *spans), self.context))

    def read(self) -> Frame:
        walk = self.walk if self.statement.ctes is None else with_ctes(self.statement.ctes, self.walk)
        return read_query(self.with_defaults(self.statement.query), walk)

    def with_defaults(self, query: tree.Query) -> tree.Query:
        """DEFAULT in VALUES, or in a SELECT without FROM, stands for the default of its target column."""
        body = query.body
        fields = self.receiving()
        if isinstance(body, tree.InlineTable):
            rows = tuple(self.row_with_defaults(row, fields) for row in body.rows)
            return replace(query, body=replace(body, rows=rows))
        if isinstance(body, tree.Select) and body.source is None and isinstance(body.projections, tuple):
            return replace(query, body=replace(body, projections=self.values_with_defaults(body.projections, fields)))
        return query

    def row_with_defaults(self, row: Any, fields: Sequence[StructField]) -> Any:
        if isinstance(row, tree.Row | tree.Struct):
            return replace(row, fields=self.values_with_defaults(row.fields, fields))
        (value,) = self.values_with_defaults((row,), fields)
        return value

    def values_with_defaults(self, values: Sequence[Any], fields: Sequence[StructField]) -> tuple[Any, ...]:
        if len(values) > len(fields):
            return tuple(values)
        return tuple(self.default_for(v, f) if is_default(v) else v for v, f in zip(values, fields, strict=False))

    def default_for(self, value: Any, field: StructField) -> Any:
        text = (field.metadata or {}).get(DEFAULT, "NULL")
        made = parse_expression(str(text), parser_config(self.context))
        return replace(made, start=value.start, stop=value.stop)

    def receiving(self) -> list[StructField]:
        """The target columns of the query's columns, in order."""
        if self.node.columns:
            return self.named_fields()
        static = {name.lower() for name, value in self.partition_values() if value is not None}
        return [field for field in self.schema.fields if field.name.lower() not in static]

    # ---- assignment to the table's columns

    def rows(self, frame: Frame) -> Rows:
        return Rows.of(self.assign_columns(frame), self.schema, self.context, isinstance(self.target.table, FileTable))

    def assign_columns(self, frame: Frame) -> Frame:
        static = self.static_values()
        fields = [field for field in self.schema.fields if field.name not in static]
        if self.node.by_name:
            made = self.assignment.by_name(frame, fields)
        elif self.node.columns:
            self.named_fields()
            made = self.assignment.by_columns(frame, fields, self.distinct_columns())
        else:
            self.check_partition_arity(frame, static, len(fields))
            made = self.assignment.by_position(frame, fields)
        return self.with_static(made, static) if static else made

    def check_partition_arity(self, frame: Frame, static: Iterable[str], count: int) -> None:
        if static and len(frame.attributes) != count:
            raise SparkError(
                "INSERT_PARTITION_COLUMN_ARITY_MISMATCH",
                tableName=self.target.full_name,
                tableColumns=", ".join(map(quote_identifier, self.schema.names)),
                dataColumns=", ".join(quote_identifier(a.name) for a in frame.attributes),
                staticPartCols=", ".join(map(quote_identifier, static)),
            )

    def named_fields(self) -> list[StructField]:
        """For an unknown column Spark reports the whole target."""
        try:
            return [self.assignment.field(name, self.schema.fields) for name in self.node.columns]
        except SparkError as error:
            raise with_position(error, self.node, self.walk.text) from error

    def distinct_columns(self) -> Sequence[str]:
        seen: set[str] = set()
        for name in self.node.columns:
            if name.lower() in seen:
                raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(name.lower()))
            seen.add(name.lower())
        return self.node.columns

    def with_static(self, frame: Frame, static: dict[str, Expression]) -> Frame:
        given = {a.name: Named(frame.column(a), a.name) for a in frame.attributes}
        return project(
            frame, [Named(static[f.name], f.name) if f.name in static else given[f.name] for f in self.schema.fields]
        )

    # ---- PARTITION (…)

    def partition_values(self) -> Sequence[tuple[str, Any]]:
        return self.node.partition.values if self.node.partition is not None else ()

    def partition_names(self) -> list[str]:
        return [t.column[0] for t in self.target.table.partitioning if isinstance(t, Identity)]

    def static_values(self) -> dict[str, Expression]:
        scope = self.walk.scope(frame_of(OneRow()))
        made = {}
        for name, value in self.partition_values():
            field = self.partition_field(name)
            if value is not None:
                made[field.name] = self.static_value(value, field, scope)
        return made

    def static_value(self, value: Any, field: StructField, scope: Any) -> Expression:
        if is_default(value):
            return self.assignment.default(field)
        return build.cast(self.walk.read(value, scope), field.dataType, self.context.settings, "ansi")

    def partition_field(self, name: str) -> StructField:
        known = [each for each in self.partition_names() if each.lower() == name.lower()]
        if known:
            return self.schema[known[0]]
        if isinstance(self.target.table, FileTable):
            raise SparkError(
                "PARTITIONS_NOT_FOUND", partitionList=quote_identifier(name), tableName=self.target.full_name
            )
        raise SparkError("NON_PARTITION_COLUMN", columnName=quote_identifier(name))

    # ---- what happens to existing rows

    def write(self, frame: Frame) -> Command:
        if self.node.schema_evolution:
            target = evolve_table(self.target, frame, self.node.by_name, self.context)
            return replace(self, target=target, node=replace(self.node, schema_evolution=False)).write(frame)
        rows = self.rows(frame)
        if self.node.replace == "WHERE":
            return self.replacing(rows, self.condition())
        static = self.static_values()
        self.check_not_empty(static)
        if self.node.overwrite and not self.is_dynamic(len(static)):
            check_not_read(self.target, rows.query)
            self.check_not_named()
        if isinstance(self.target.table, FileTable) and 0 < len(static) == len(self.target.table.partitioning):
            return self.into_partition(rows, self.folder(static))
        if not self.node.overwrite:
            return done(lambda: insert(self.target, rows, "append"))
        if self.is_dynamic(len(static)):
            return done(lambda: overwrite_partitions(self.target, rows))
        if not static:
            return done(lambda: insert(self.target, rows, "overwrite"))
        if isinstance(self.target.table, FileTable):
            raise self.target.unsupported_error("INSERT OVERWRITE of part of the partitions")
        return self.replacing(rows, self.in_partition(static))

    def check_not_empty(self, static: dict[str, Expression]) -> None:
        """The folder of a partition cannot have an empty name (SessionCatalog.requireNonEmptyValueInPartitionSpec)."""
        given = [node for one in static.values() for node in nodes_of(one)]
        if isinstance(self.target.table, FileTable) and any(getattr(node, "value", None) == "" for node in given):
            raise NotNative(reasons.WRITE_TARGET, "a partition with an empty value")

    def check_not_named(self) -> None:
        """A table that has no files yet, or none that pass the filters, is read as well."""
        written = tuple(part.lower() for part in self.target.name.qualifier)
        names = filter(None, map(table_parts, tree_nodes(self.statement.query)))
        if isinstance(self.target.table, FileTable) and any(ends_with(written, parts) for parts in names):
            error = SparkError("UNSUPPORTED_OVERWRITE.TABLE", table=self.target.full_name)
            raise NotNative(reasons.WRITE_TARGET, "a table that is overwritten and read", likely_error=error)

    def into_partition(self, rows: Rows, folder: str) -> Command:
        mode = "overwrite" if self.node.overwrite else "append"
        return done(lambda: insert_into_partition(self.target, rows, mode, folder))

    def folder(self, static: dict[str, Expression]) -> str:
        """The directory of the one partition that all rows go to."""
        names = self.partition_names()
        settings = self.context.settings
        texts = [Named(build.cast(static[name], StringType(), settings, "ansi"), name) for name in names]
        plan = project(frame_of(OneRow()), texts).plain()
        found = stream_rows(plan, self.context, connection_of(self.context).cursor()).read_all()
        return partition_folder({name: found.column(at)[0].as_py() for at, name in enumerate(names)})

    def is_dynamic(self, static: int) -> bool:
        mode = self.context.conf("spark.sql.sources.partitionOverwriteMode")
        return mode == "DYNAMIC" and len(self.target.table.partitioning) > static

    def replacing(self, rows: Rows, condition: Expression) -> Command:
        replace_rows = replacing(self.target, self.table_frame(), condition, self.context)
        return done(lambda: replace_rows(rows))

    def table_frame(self) -> Frame:
        return table_frame(self.target, self.context)

    def condition(self) -> Expression:
        assert self.node.replace_condition is not None
        frame = self.table_frame()
        return filter_condition(
            frame, self.walk.read(self.node.replace_condition, self.walk.scope(frame)), self.context
        )

    def in_partition(self, static: dict[str, Expression]) -> Expression:
        frame = self.table_frame()
        same = [
            build.call("<=>", [frame.column(a), static[a.name]], self.context.settings)
            for a in frame.attributes
            if a.name in static
        ]
        whole = same[0]
        for each in same[1:]:
            whole = build.call("and", [whole, each], self.context.settings)
        return whole


def is_default(value: Any) -> bool:
    return isinstance(value, tree.Column) and [part.lower() for part in value.parts] == ["default"]


def done(change: Callable[[], object]) -> Command:
    def carry_out() -> Answer:
        change()
        return answer()

    return carry_out


def insert_rows(statement: tree.Insert, text: str, context: Context, services: Services) -> Command:
    node = statement.target
    if not isinstance(node, tree.InsertTarget):
        raise NotNative(reasons.WRITE_TARGET, "INSERT OVERWRITE DIRECTORY")
    parts = written_parts(node.table, text, context, services)
    try:
        target = write_target(parts, context, "INSERT")
    except SparkError as error:
        check_functions_known(statement.query, walk_of(text, context), error)
        raise at_name(error, node.table, text) from error
    if node.replace in ("ON", "USING") or node.if_not_exists:
        raise target.unsupported_error(
            "INSERT INTO ... REPLACE ON/USING" if node.replace else "INSERT OVERWRITE IF NOT EXISTS"
        )
    insertion = Insertion(target, walk_of(text, context), statement, node)
    return write_rows_of(services, context, insertion.source(), insertion.write)


def table_parts(node: tree.Node) -> tuple[str, ...] | None:
    return node.name.parts if isinstance(node, tree.Table) and isinstance(node.name, tree.Name) else None


def ends_with(whole: Sequence[str], parts: Sequence[str]) -> bool:
    return tuple(whole[-len(parts) :]) == tuple(part.lower() for part in parts)
