"""Writes typed relations as one SQL text: each is merged into the SELECT of its input, or uses it as a subquery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twinspark.duck.conditions import simplify_condition
from twinspark.duck.expressions import SubqueryWriter, Writer, check_groupable
from twinspark.duck.generators import generator_sql
from twinspark.duck.python.sources import source_of
from twinspark.duck.relation_texts import (
    check_plain_doubles,
    grouping_text,
    groups_of_rows,
    has_nested_doubles,
    has_subquery,
    has_window,
    is_used,
    is_volatile,
    join_text,
    normal_zero,
    null_of,
)
from twinspark.duck.row_positions import numbered_below, numbered_locals, numbered_range
from twinspark.duck.select import Select, column_names, grows_too_much, repeats_too_much, wrap
from twinspark.duck.single_rows import covers, is_group_only, is_single, may_stay_one_row
from twinspark.duck.stable_ties import PLACE, keeps_order, numbers_rows
from twinspark.duck.statement import Statement
from twinspark.duck.tie_order import tie_ordered_rows
from twinspark.duck.window_keys import are_names, below
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import error, not_native
from twinspark.functions.notation.sql_text import ColumnName
from twinspark.functions.strings.collations import only_one
from twinspark.plan.dispatch import by_class
from twinspark.plan.expressions import Call, Column, Expression, Subquery
from twinspark.plan.python_relations import PythonCoGroups, PythonRelation, PythonScan
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    FailingRelation,
    FileRecords,
    Filter,
    Generate,
    Join,
    Limit,
    LocalData,
    Observe,
    OneRow,
    Project,
    Range,
    Recursion,
    RecursionReference,
    Relation,
    Repartition,
    RowPositions,
    Scan,
    SetOperation,
    SharedRelation,
    Sort,
    Tail,
    TieOrder,
    Values,
)
from twinspark.plan.rewrite import walk
from twinspark.spark_order.collated_groups import as_groups, rewrite_set_operation
from twinspark.spark_order.unobserved_order import is_total_sort
from twinspark.types import DoubleType, FloatType, has_collation
from twinspark.types.duckdb import cast_to, duck_name, duck_type

Outer = tuple[Sequence[str], ...]


@dataclass(frozen=True)
class RelationWriter(SubqueryWriter):
    statement: Statement
    outer: Outer = ()

    def expressions(self, select: Select) -> Writer:
        return self.writer(select.columns, self.statement.shortcuts)

    def writer(self, inputs: Sequence[str], shortcuts: dict[str, str] | None = None) -> Writer:
        noted = {} if shortcuts is None else shortcuts
        return Writer(inputs, self.outer, self, noted, self.statement.asks_for_memory)

    def wrap(self, select: Select) -> Select:
        return wrap(select, self.statement.alias())

    def number_rows(self, select: Select) -> tuple[Select, str]:
        """The rows with a row number in their current order, and the name of that column."""
        inner, alias = self.wrap(select), self.statement.alias()
        source = f"(SELECT *, row_number() OVER () AS {PLACE} FROM {inner.source}) AS {alias}"
        columns = column_names(alias, len(select.columns))
        return Select(source, columns, is_plain=True), f"{alias}.{PLACE}"

    def __call__(self, node: Subquery, writer: Writer) -> str:
        inner = replace(self, outer=(writer.inputs, *writer.outer))
        text = inner.write(node.relation).text()
        if node.kind == "scalar":
            return f"({text})"
        if node.kind == "exists":
            return f"EXISTS ({text})"
        values = ", ".join(map(writer.write, node.values))
        left = values if len(node.values) == 1 else f"({values})"
        return f"({left} IN ({text}))"

    # ---- relations without inputs

    @by_class
    def write(self, relation: Relation) -> Select:
        raise NotNative(reasons.OPERATION_KIND, type(relation).__name__)

    @write.register
    def write_one_row(self, relation: OneRow) -> Select:
        return Select("", ())

    @write.register
    def write_range(self, relation: Range) -> Select:
        alias = self.statement.alias()
        arguments = ", ".join(f"CAST({n} AS BIGINT)" for n in (relation.start, relation.end, relation.step))
        return Select(f"range({arguments}) AS {alias}(id)", (ColumnName(f"{alias}.id"),), is_plain=True)

    @write.register
    def write_scan(self, relation: Scan) -> Select:
        alias = self.statement.alias()
        self.statement.tables.update(relation.arrow)
        columns = tuple(ColumnName(f"{alias}.{duck_name(name)}") for name in relation.names)
        return Select(f"{relation.sql} AS {alias}", columns, is_plain=True)

    @write.register
    def write_failing_relation(self, relation: FailingRelation) -> Select:
        return self.without_rows(relation)

    def without_rows(self, relation: Relation) -> Select:
        nulls = tuple(f"CAST(NULL AS {duck_type(f.type)})" for f in relation.fields)
        return self.wrap(Select("", nulls, where=("false",)))

    @write.register
    def write_local_data(self, relation: LocalData) -> Select:
        if not relation.fields:
            return Select(f"range({relation.table.num_rows}) AS {self.statement.alias()}", ())
        if not relation.table.num_columns and relation.fields:
            return self.without_rows(relation)
        name = f"local_{relation.key}"
        names = [f"c{i}" for i in range(relation.table.num_columns)]
        self.statement.tables[name] = relation.table.rename_columns(names)
        alias = self.statement.alias()
        columns = tuple(cast_to(f"{alias}.{n}", f.type) for n, f in zip(names, relation.fields, strict=True))
        return Select(f"{name} AS {alias}", columns)

    @write.register
    def write_values(self, relation: Values) -> Select:
        writer = self.writer(())
        rows = ", ".join("(" + ", ".join(map(writer.write, row)) + ")" for row in relation.rows)
        alias = self.statement.alias()
        names = [f"c{i}" for i in range(len(relation.fields))]
        columns = tuple(cast_to(f"{alias}.{n}", f.type) for n, f in zip(names, relation.fields, strict=True))
        return Select(f"(VALUES {rows}) AS {alias}({', '.join(names)})", columns)

    # ---- one input

    @write.register
    def write_project(self, relation: Project) -> Select:
        computed = [each for each in relation.expressions if each.__class__ is not Column]
        if any(map(has_window, computed)):
            return self.windows(below(relation))
        select = self.write(relation.input)
        if select.distinct or select.is_volatile or (select.group and any(map(has_subquery, computed))):
            select = self.wrap(select)  # DuckDB does not resolve the groups' columns inside of a subquery
        if repeats_too_much(select, relation.expressions):
            select = self.wrap(select)
        return self.project_columns(select, relation)

    def windows(self, relation: Project) -> Select:
        """A projection with window functions, whose keys are columns of the input."""
        select = self.write(relation.input)
        if numbers_rows(relation):
            select, place = self.number_rows(select)
            writer = replace(self.expressions(select), place=place)
            return replace(select.with_columns(writer.columns(relation.expressions)), has_windows=True)
        taken = select.is_cut or select.is_volatile or select.has_windows
        if (
            taken
            or not are_names(relation, select.columns)
            or (select.group and any(map(has_subquery, relation.expressions)))
        ):
            select = self.wrap(select)
        return replace(self.project_columns(select, relation), has_windows=True)

    def project_columns(self, select: Select, relation: Project) -> Select:
        columns = self.expressions(select).columns(relation.expressions)
        if grows_too_much(select, columns):
            select = self.wrap(select)
            columns = self.expressions(select).columns(relation.expressions)
        volatile = select.is_volatile or any(is_volatile(e) for e in relation.expressions if e.__class__ is not Column)
        return replace(select.with_columns(columns), is_volatile=volatile)

    @write.register
    def write_filter(self, relation: Filter) -> Select:
        select = self.write(relation.input)
        if select.is_cut or select.has_windows or select.is_volatile:
            select = self.wrap(select)
        if select.group and has_subquery(relation.condition):
            select = self.wrap(select)
        condition = self.expressions(select).write(simplify_condition(relation.condition))
        if select.group:
            return replace(select, having=(*select.having, condition))
        return replace(select, where=(*select.where, condition))

    @write.register
    def write_sort(self, relation: Sort) -> Select:
        select = self.write(relation.input)
        if select.is_cut or select.is_volatile:
            select = self.wrap(select)
        place = ""
        if keeps_order(relation.input) and not is_total_sort(relation):
            select, place = self.number_rows(select)
        writer = self.expressions(select)
        order = tuple(map(writer.sort_order, relation.ordering))
        return replace(select, order=(*order, place) if place else order)

    @write.register
    def write_limit(self, relation: Limit) -> Select:
        select = self.write(relation.input)
        if select.limit:
            select = self.wrap(select)
        limit = [] if relation.limit is None else [f"LIMIT {relation.limit}"]
        offset = [f"OFFSET {relation.offset}"] if relation.offset else []
        return replace(select, limit=" ".join([*limit, *offset]))

    @write.register
    def write_tail(self, relation: Tail) -> Select:
        """The last rows in order: numbered, limited, and sorted again."""
        select = self.wrap(self.write(relation.input))
        alias = self.statement.alias()
        numbered = f"(SELECT *, row_number() OVER () AS position FROM {select.source}) AS {alias}"
        inner = self.statement.alias()
        last = f"(SELECT * FROM {numbered} ORDER BY position DESC LIMIT {relation.limit}) AS {inner}"
        columns = column_names(inner, len(select.columns))
        return self.wrap(Select(last, columns, order=(f"{inner}.position",)))

    @write.register
    def write_row_positions(self, relation: RowPositions) -> Select:
        """Slice k of n rows begins at k * n / slices, rounded down (ParallelCollectionRDD.slice); slices of a range may
        be empty (RangeExec), those of local rows are not."""
        if (known := numbered_below(relation) or numbered_locals(relation)) is not None:
            return self.write(known)
        inner = self.write(relation.input)
        if (numbered := numbered_range(relation, inner)) is not None:
            return numbered
        select, alias = self.wrap(inner), self.statement.alias()
        tasks = str(relation.slices) if isinstance(relation.input, Range) else f"least({relation.slices}, rows)"
        task = f"(((place + 1) * {tasks} - 1) // rows)" if relation.slices else "CAST(0 AS BIGINT)"
        places = f"SELECT *, row_number() OVER () - 1 AS place, count(*) OVER () AS rows FROM {select.source}"
        own = column_names(alias, len(select.columns))
        numbers = (ColumnName(f"{alias}.task"), ColumnName(f"{alias}.place"))
        return Select(f"(SELECT *, {task} AS task FROM ({places})) AS {alias}", (*own, *numbers))

    @write.register
    def write_tie_order(self, relation: TieOrder) -> Select:
        select = self.wrap(self.write(relation.input))
        name = tie_ordered_rows(relation, select, self.expressions(select), self.statement)
        return self.read_query(name, len(select.columns))

    @write.register
    def write_distinct(self, relation: Distinct) -> Select:
        if any(has_collation(field.type) for field in relation.fields):
            return self.write(as_groups(relation))
        for index in range(len(relation.fields)) if relation.keys is None else relation.keys:
            check_groupable(relation.fields[index].type)
            check_plain_doubles(relation.fields[index].type, "the distinct rows of")
        if is_single(relation.input) and covers(relation):
            return self.write(relation.input)
        select = self.write(relation.input)
        if select.is_cut or select.order or select.has_windows or select.is_volatile:
            select = self.wrap(select)
        columns = [normal_zero(c, f.type) for c, f in zip(select.columns, relation.fields, strict=True)]
        if relation.keys is None:
            return replace(select.with_columns(columns), distinct="DISTINCT ")
        if any(has_nested_doubles(field.type) for field in relation.fields):  # -0.0 in other columns becomes 0.0
            raise NotNative(reasons.NESTED_FLOATS, "dropDuplicates by other columns")
        keys = ", ".join(columns[i] for i in relation.keys) or "1"
        shown = [columns[i] if i in relation.keys else column for i, column in enumerate(select.columns)]
        return replace(select.with_columns(shown), distinct=f"DISTINCT ON ({keys}) ")

    @write.register
    def write_aggregate(self, relation: Aggregate) -> Select:
        if is_group_only(relation) and is_single(relation.input):
            return self.write(Project(input=relation.input, expressions=relation.grouping, fields=relation.fields))
        select = self.write(relation.input)
        if select.is_cut or select.order or select.group or select.has_windows or select.is_volatile:
            select = self.wrap(select)
        if relation.grouping_sets is not None and not select.is_plain:
            # Each grouping set repeats its keys: names are parsed ten times faster than expressions.
            select = self.wrap(select)
        if any(has_nested_doubles(key.type) for key in relation.grouping):
            raise NotNative(reasons.NESTED_FLOATS, "GROUP BY")
        writer = self.expressions(select)
        keys = [writer.key(key) for key in relation.grouping]
        pairs = list(zip(keys, relation.grouping, strict=True))
        shown = [
            self.key_value(key, e, writer, relation) if is_used(i, relation.grouping_sets) else null_of(e)
            for i, (key, e) in enumerate(pairs)
        ]
        columns = [*shown, *map(writer.write, relation.aggregates)]
        group = grouping_text(keys, relation.grouping_sets)
        made = replace(select.with_columns(columns), group=group, having=groups_of_rows(relation))
        return self.wrap_group(made, relation)

    def key_value(self, key: str, expression: Expression, writer: Writer, relation: Aggregate) -> str:
        """For strings with a collation the grouping key differs from the value."""
        if not has_collation(expression.type):
            return key
        if relation.grouping_sets is not None:
            raise NotNative(reasons.COLLATION_FUNCTION, "grouping sets")
        return only_one(writer.write(expression))

    def wrap_group(self, select: Select, relation: Aggregate) -> Select:
        """Computed keys get names in a subquery, so that GROUP BY and SELECT use the same values."""
        return select if relation.grouping else self.wrap(select)

    @write.register
    def write_generate(self, relation: Generate) -> Select:
        select = self.write(relation.input)
        select = self.wrap(select) if select.source else select
        return generator_sql(relation, select, self.expressions(select), self.statement.alias())

    @write.register
    def write_python_relation(self, relation: PythonRelation | PythonCoGroups | PythonScan) -> Select:
        return source_of(relation, self.statement, write_relation)

    @write.register
    def write_file_records(self, relation: FileRecords) -> Select:
        raise NotNative(reasons.FILE_MALFORMED_RECORDS, "the file is read in a subquery or under an alias")

    @write.register
    def write_input_only(self, relation: Observe | Repartition) -> Select:
        return self.write(relation.input)

    @write.register
    def write_shared_relation(self, relation: SharedRelation) -> Select:
        """Written as a CTE at its first use, and read by name afterwards."""
        name = self.statement.shared.get(relation.key)
        if name is None:
            before = len(self.statement.sources)
            text = self.write(relation.input).text()
            name = f"shared_{len(self.statement.shared)}"
            self.statement.shared[relation.key] = name
            kept = "MATERIALIZED " if len(self.statement.sources) > before else ""  # a worker's rows can be read once
            self.statement.queries.append(f"{name} AS {kept}({text})")
        return self.read_query(name, len(relation.fields))

    @write.register
    def write_recursion(self, relation: Recursion) -> Select:
        name = self.statement.shared.get(relation.key)
        if name is None:
            name = f"recursion_{len(self.statement.shared)}"
            self.statement.shared[relation.key] = name
            self.statement.is_recursive = self.statement.has_unions = True
            anchor, step = self.write(relation.anchor).text(), self.next_level(relation)
            self.statement.queries.append(f"{name} AS MATERIALIZED (({anchor}) UNION ALL ({step}))")
        refusal = error("RECURSION_ROW_LIMIT_EXCEEDED", rowLimit=str(relation.rows))
        counted = f"(SELECT count(*) FROM {name}) >= {relation.rows}"
        guard = f"CASE WHEN {counted} THEN CAST({self.recursion_error(relation, refusal)} AS BOOLEAN) ELSE true END"
        return replace(self.read_query(name, len(relation.fields)), where=(guard,))

    def recursion_error(self, relation: Recursion, refusal: str) -> str:
        return (
            not_native(reasons.RECURSIVE_CTE, "LIMIT may end the recursion early") if relation.falls_back else refusal
        )

    def next_level(self, relation: Recursion) -> str:
        step = self.wrap(self.write(relation.step))
        refusal = self.recursion_error(
            relation, error("RECURSION_LEVEL_LIMIT_EXCEEDED", levelLimit=str(relation.limit))
        )
        level = step.columns[-1]
        counted = f"CASE WHEN {level} >= {relation.limit - 1} THEN CAST({refusal} AS INTEGER) ELSE {level} + 1 END"
        return step.with_columns([*step.columns[:-1], counted]).text()

    @write.register
    def write_recursion_reference(self, relation: RecursionReference) -> Select:
        return self.read_query(self.statement.shared[relation.key], len(relation.fields))

    def read_query(self, name: str, width: int) -> Select:
        alias = self.statement.alias()
        return Select(f"{name} AS {alias}", column_names(alias, width), is_plain=True)

    # ---- two inputs

    def side(self, relation: Relation) -> Select:
        """A join's side: its source without a subquery if nothing is computed in it."""
        select = self.write(relation)
        return select if select.is_source and select.source and select.is_plain else self.wrap(select)

    @write.register
    def write_join(self, relation: Join) -> Select:
        kind = relation.kind
        left = self.side(relation.left)
        inner = replace(self, outer=(left.columns, *self.outer)) if relation.lateral else self
        right = inner.side(relation.right)
        both = Select("", (*left.columns, *right.columns))
        for node in walk(relation.condition) if relation.condition is not None else ():
            if isinstance(node, Call) and node.name in ("==", "<=>"):
                check_plain_doubles(node.arguments[0].type, "a join by")
        condition = self.expressions(both).write(relation.condition) if relation.condition is not None else ""
        source = join_text(kind, left.source, right.source, condition, relation.lateral)
        columns = left.columns if kind in ("semi", "anti") else both.columns
        return Select(source, columns, is_plain=True)

    @write.register
    def write_set_operation(self, relation: SetOperation) -> Select:
        is_plain = relation.kind == "union" and relation.all
        if not is_plain and any(has_collation(field.type) for field in relation.fields):
            return self.write(rewrite_set_operation(relation))
        self.statement.has_unions = self.statement.has_unions or is_plain
        left, right = self.write(relation.left).text(), self.write(relation.right).text()
        names = {"union": "UNION", "intersect": "INTERSECT", "except": "EXCEPT"}
        for field in relation.fields:
            if relation.kind != "union" or not relation.all:
                check_groupable(field.type)
                check_plain_doubles(field.type, "a set operation over")
                if isinstance(field.type, FloatType | DoubleType) and may_stay_one_row(relation):
                    raise NotNative(reasons.OPERATION_KIND, "a set operation over a single row with floats or doubles")
        alias = self.statement.alias()
        operator = names[relation.kind] + (" ALL" if relation.all else "")
        columns = column_names(alias, len(relation.fields))
        if not columns:
            raise NotNative(reasons.OPERATION_KIND, "a set operation over relations without columns")
        made = Select(f"(({left}) {operator} ({right})) AS {alias}", columns, is_plain=True)
        if is_plain:
            return made
        # Spark groups the rows here, and grouping normalizes -0.0.
        return made.with_columns([normal_zero(c, f.type) for c, f in zip(columns, relation.fields, strict=True)])


def write_relation(relation: Relation, asks_for_memory: bool = False) -> tuple[str, Statement]:
    """The SQL text of a plan with columns c0, c1 …, and the statement's tables and sources."""
    statement = Statement(asks_for_memory=asks_for_memory)
    text = RelationWriter(statement).write(relation).text()
    return statement.with_queries(text), statement
