"""Writes relations as one SQL text: each is folded into the SELECT below it, or takes that as a subquery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twinspark.analysis.collated_groups import as_groups, in_other_words
from twinspark.duck.conditions import kept_if_true
from twinspark.duck.expressions import SubqueryWriter, Writer, check_groupable
from twinspark.duck.generators import generator_sql
from twinspark.duck.numbered_rows import numbered_below, numbered_locals, numbered_range
from twinspark.duck.python_sources import source_of
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
from twinspark.duck.select import Select, grows_too_much, repeats_too_much, wrapped
from twinspark.duck.single_rows import covers, is_group_only, is_single, may_stay_one_row
from twinspark.duck.statement import Statement
from twinspark.duck.ties import PLACE, keeps_order, numbers_rows
from twinspark.duck.turned_rows import turned_rows
from twinspark.duck.window_keys import below, may_raise
from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.collations import only_one
from twinspark.functions.spelling import cast_to, duck_type, error, quoted_name
from twinspark.plan.dispatch import by_class
from twinspark.plan.expressions import Call, Column, Expression, Subquery
from twinspark.plan.pythons import PythonCoGroups, PythonRelation, PythonScan
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    LocalData,
    Numbered,
    Observe,
    OneRow,
    Project,
    Range,
    Records,
    Recursion,
    RecursionReference,
    Refused,
    Relation,
    Scan,
    SetOperation,
    Shared,
    Sort,
    Spread,
    Tail,
    Turned,
    Values,
)
from twinspark.plan.rewrite import walk
from twinspark.types import DoubleType, FloatType, has_collation

Outer = tuple[Sequence[str], ...]


@dataclass(frozen=True)
class RelationWriter(SubqueryWriter):
    statement: Statement
    outer: Outer = ()

    def expressions(self, select: Select) -> Writer:
        return Writer(select.columns, self.outer, self, self.statement.shortcuts)

    def wrap(self, select: Select) -> Select:
        return wrapped(select, self.statement.alias())

    def numbered(self, select: Select) -> tuple[Select, str]:
        """The rows with their places, as they come; and the name of that column."""
        inner, alias = self.wrap(select), self.statement.alias()
        source = f"(SELECT *, row_number() OVER () AS {PLACE} FROM {inner.source}) AS {alias}"
        columns = tuple(f"{alias}.c{i}" for i in range(len(select.columns)))
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

    # ---- rows from nowhere

    @by_class
    def write(self, relation: Relation) -> Select:
        raise NotNative(f"a relation of kind {type(relation).__name__}")

    @write.register
    def _(self, relation: OneRow) -> Select:
        return Select("", ())

    @write.register
    def _(self, relation: Range) -> Select:
        alias = self.statement.alias()
        arguments = ", ".join(f"CAST({n} AS BIGINT)" for n in (relation.start, relation.end, relation.step))
        return Select(f"range({arguments}) AS {alias}(id)", (f"{alias}.id",), is_plain=True)

    @write.register
    def _(self, relation: Scan) -> Select:
        alias = self.statement.alias()
        self.statement.tables.update(relation.arrow)
        return Select(
            f"{relation.sql} AS {alias}", tuple(f"{alias}.{quoted_name(n)}" for n in relation.names), is_plain=True
        )

    @write.register
    def _(self, relation: Refused) -> Select:
        return self.without_rows(relation)

    def without_rows(self, relation: Relation) -> Select:
        nulls = tuple(f"CAST(NULL AS {duck_type(f.type)})" for f in relation.fields)
        return self.wrap(Select("", nulls, where=("false",)))

    @write.register
    def _(self, relation: LocalData) -> Select:
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
    def _(self, relation: Values) -> Select:
        writer = Writer((), self.outer, self)
        rows = ", ".join("(" + ", ".join(map(writer.write, row)) + ")" for row in relation.rows)
        alias = self.statement.alias()
        names = [f"c{i}" for i in range(len(relation.fields))]
        columns = tuple(cast_to(f"{alias}.{n}", f.type) for n, f in zip(names, relation.fields, strict=True))
        return Select(f"(VALUES {rows}) AS {alias}({', '.join(names)})", columns)

    # ---- one input

    @write.register
    def _(self, relation: Project) -> Select:
        select = self.write(relation.input)
        computed = [e for e in relation.expressions if e.__class__ is not Column]
        windows = any(map(has_window, computed))
        volatile = any(map(is_volatile, computed))
        if select.distinct or select.is_volatile or (windows and (select.has_windows or select.is_cut)):
            select = self.wrap(select)
        if select.group and any(map(has_subquery, computed)):
            select = self.wrap(select)  # DuckDB does not know the groups' columns inside
        if windows and may_raise(relation, self.expressions(select).write):
            select = self.wrap(select)  # what was folded in becomes columns
        if windows and numbers_rows(relation):
            return self.stable_windows(relation)
        if windows and (lifted := below(relation, self.expressions(select).write)) is not relation:
            relation, select = lifted, self.wrap(self.write(lifted.input))
        if not windows and repeats_too_much(select, relation.expressions):
            select = self.wrap(select)
        columns = self.expressions(select).columns(relation.expressions)
        if grows_too_much(select, columns):
            select = self.wrap(select)
            columns = self.expressions(select).columns(relation.expressions)
        return replace(
            select.with_columns(columns),
            has_windows=select.has_windows or windows,
            is_volatile=select.is_volatile or volatile,
        )

    def stable_windows(self, relation: Project) -> Select:
        """Windows over numbered rows, their keys computed below."""
        lifted = below(relation, self.expressions(self.write(relation.input)).write)
        select, place = self.numbered(self.write(lifted.input))
        writer = replace(self.expressions(select), place=place)
        return replace(select.with_columns(writer.columns(lifted.expressions)), has_windows=True)

    @write.register
    def _(self, relation: Filter) -> Select:
        select = self.write(relation.input)
        if select.is_cut or select.has_windows or select.is_volatile:
            select = self.wrap(select)
        if select.group and has_subquery(relation.condition):
            select = self.wrap(select)
        condition = self.expressions(select).write(kept_if_true(relation.condition))
        if select.group:
            return replace(select, having=(*select.having, condition))
        return replace(select, where=(*select.where, condition))

    @write.register
    def _(self, relation: Sort) -> Select:
        select = self.write(relation.input)
        if select.is_cut or select.is_volatile:
            select = self.wrap(select)
        place = ""
        if keeps_order(relation.input):
            select, place = self.numbered(select)
        writer = self.expressions(select)
        order = tuple(map(writer.sort_order, relation.ordering))
        return replace(select, order=(*order, place) if place else order)

    @write.register
    def _(self, relation: Limit) -> Select:
        select = self.write(relation.input)
        if select.limit:
            select = self.wrap(select)
        limit = [] if relation.limit is None else [f"LIMIT {relation.limit}"]
        offset = [f"OFFSET {relation.offset}"] if relation.offset else []
        return replace(select, limit=" ".join([*limit, *offset]))

    @write.register
    def _(self, relation: Tail) -> Select:
        """The last rows, in order: numbered, cut, and put in order again."""
        select = self.wrap(self.write(relation.input))
        alias = self.statement.alias()
        numbered = f"(SELECT *, row_number() OVER () AS position FROM {select.source}) AS {alias}"
        inner = self.statement.alias()
        last = f"(SELECT * FROM {numbered} ORDER BY position DESC LIMIT {relation.limit}) AS {inner}"
        columns = tuple(f"{inner}.c{i}" for i in range(len(select.columns)))
        return self.wrap(Select(last, columns, order=(f"{inner}.position",)))

    @write.register
    def _(self, relation: Numbered) -> Select:
        """Slice k of n rows begins at k * n / slices, rounded down (ParallelCollectionRDD.slice); of a range some may
        be empty (RangeExec), of local rows none is."""
        if (known := numbered_below(relation) or numbered_locals(relation)) is not None:
            return self.write(known)
        inner = self.write(relation.input)
        if (told := numbered_range(relation, inner)) is not None:
            return told
        select, alias = self.wrap(inner), self.statement.alias()
        tasks = str(relation.slices) if isinstance(relation.input, Range) else f"least({relation.slices}, rows)"
        task = f"(((place + 1) * {tasks} - 1) // rows)" if relation.slices else "CAST(0 AS BIGINT)"
        places = f"SELECT *, row_number() OVER () - 1 AS place, count(*) OVER () AS rows FROM {select.source}"
        names = [f"{alias}.c{i}" for i in range(len(select.columns))]
        return Select(
            f"(SELECT *, {task} AS task FROM ({places})) AS {alias}", (*names, f"{alias}.task", f"{alias}.place")
        )

    @write.register
    def _(self, relation: Turned) -> Select:
        select = self.wrap(self.write(relation.input))
        name = turned_rows(relation, select, self.expressions(select), self.statement)
        return self.named(name, len(select.columns))

    @write.register
    def _(self, relation: Distinct) -> Select:
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
        if any(has_nested_doubles(field.type) for field in relation.fields):  # -0.0 beside the keys becomes 0.0
            raise NotNative("doubles inside nested values of rows that are distinct in others")
        keys = ", ".join(columns[i] for i in relation.keys) or "1"
        shown = [columns[i] if i in relation.keys else column for i, column in enumerate(select.columns)]
        return replace(select.with_columns(shown), distinct=f"DISTINCT ON ({keys}) ")

    @write.register
    def _(self, relation: Aggregate) -> Select:
        if is_group_only(relation) and is_single(relation.input):
            return self.write(Project(input=relation.input, expressions=relation.grouping, fields=relation.fields))
        select = self.write(relation.input)
        if select.is_cut or select.order or select.group or select.has_windows or select.is_volatile:
            select = self.wrap(select)
        if relation.grouping_sets is not None and not select.is_plain:
            select = self.wrap(select)  # each set says its keys again: as names they are read ten times faster
        if any(has_nested_doubles(key.type) for key in relation.grouping):
            raise NotNative("groups by doubles inside nested values")
        writer = self.expressions(select)
        keys = [writer.key(key) for key in relation.grouping]
        pairs = list(zip(keys, relation.grouping, strict=True))
        shown = [
            self.shown_key(key, e, writer, relation) if is_used(i, relation.grouping_sets) else null_of(e)
            for i, (key, e) in enumerate(pairs)
        ]
        columns = [*shown, *map(writer.write, relation.aggregates)]
        group = grouping_text(keys, relation.grouping_sets)
        made = replace(select.with_columns(columns), group=group, having=groups_of_rows(relation))
        return self.wrap_group(made, relation)

    def shown_key(self, key: str, expression: Expression, writer: Writer, relation: Aggregate) -> str:
        """Of strings with a collation the key is not the value."""
        if not has_collation(expression.type):
            return key
        if relation.grouping_sets is not None:
            raise NotNative("grouping sets of strings with a collation")
        return only_one(writer.write(expression))

    def wrap_group(self, select: Select, relation: Aggregate) -> Select:
        """Keys that are no plain columns are named once below, so that GROUP BY and SELECT mean the same thing."""
        return select if relation.grouping else self.wrap(select)

    @write.register
    def _(self, relation: Generate) -> Select:
        select = self.write(relation.input)
        select = self.wrap(select) if select.source else select
        return generator_sql(relation, select, self.expressions(select), self.statement.alias())

    @write.register
    def _(self, relation: PythonRelation | PythonCoGroups | PythonScan) -> Select:
        return source_of(relation, self.statement, write_relation)

    @write.register
    def _(self, relation: Records) -> Select:
        raise NotNative("records in files that may be malformed, in a subquery or under a name")

    @write.register
    def _(self, relation: Observe | Spread) -> Select:
        return self.write(relation.input)

    @write.register
    def _(self, relation: Shared) -> Select:
        """WITH: written where it is first met, read by name from then on."""
        name = self.statement.shared.get(relation.key)
        if name is None:
            before = len(self.statement.sources)
            text = self.write(relation.input).text()
            name = f"shared_{len(self.statement.shared)}"
            self.statement.shared[relation.key] = name
            kept = "MATERIALIZED " if len(self.statement.sources) > before else ""  # a worker's rows come once
            self.statement.queries.append(f"{name} AS {kept}({text})")
        return self.named(name, len(relation.fields))

    @write.register
    def _(self, relation: Recursion) -> Select:
        name = self.statement.shared.get(relation.key)
        if name is None:
            name = f"recursion_{len(self.statement.shared)}"
            self.statement.shared[relation.key] = name
            self.statement.is_recursive = True
            anchor, step = self.write(relation.anchor).text(), self.next_level(relation)
            self.statement.queries.append(f"{name} AS MATERIALIZED (({anchor}) UNION ALL ({step}))")
        refusal = error("RECURSION_ROW_LIMIT_EXCEEDED", rowLimit=str(relation.rows))
        counted = f"(SELECT count(*) FROM {name}) >= {relation.rows}"
        guard = f"CASE WHEN {counted} THEN CAST({self.refused(relation, refusal)} AS BOOLEAN) ELSE true END"
        return replace(self.named(name, len(relation.fields)), where=(guard,))

    def refused(self, relation: Recursion, refusal: str) -> str:
        return not_native("a recursion that a LIMIT may end") if relation.elsewhere else refusal

    def next_level(self, relation: Recursion) -> str:
        step = self.wrap(self.write(relation.step))
        refusal = self.refused(relation, error("RECURSION_LEVEL_LIMIT_EXCEEDED", levelLimit=str(relation.limit)))
        level = step.columns[-1]
        counted = f"CASE WHEN {level} >= {relation.limit - 1} THEN CAST({refusal} AS INTEGER) ELSE {level} + 1 END"
        return step.with_columns([*step.columns[:-1], counted]).text()

    @write.register
    def _(self, relation: RecursionReference) -> Select:
        return self.named(self.statement.shared[relation.key], len(relation.fields))

    def named(self, name: str, width: int) -> Select:
        alias = self.statement.alias()
        return Select(f"{name} AS {alias}", tuple(f"{alias}.c{i}" for i in range(width)), is_plain=True)

    # ---- two inputs

    def side(self, relation: Relation) -> Select:
        """A join's side: its source as it stands, unless something was computed that the join would move."""
        select = self.write(relation)
        return select if select.is_source and select.source and select.is_plain else self.wrap(select)

    @write.register
    def _(self, relation: Join) -> Select:
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
    def _(self, relation: SetOperation) -> Select:
        is_plain = relation.kind == "union" and relation.all
        if not is_plain and any(has_collation(field.type) for field in relation.fields):
            return self.write(in_other_words(relation))
        left, right = self.write(relation.left).text(), self.write(relation.right).text()
        names = {"union": "UNION", "intersect": "INTERSECT", "except": "EXCEPT"}
        for field in relation.fields:
            if relation.kind != "union" or not relation.all:
                check_groupable(field.type)
                check_plain_doubles(field.type, "a set operation over")
                if isinstance(field.type, FloatType | DoubleType) and may_stay_one_row(relation):
                    raise NotNative("a set operation over one row of doubles")
        alias = self.statement.alias()
        operator = names[relation.kind] + (" ALL" if relation.all else "")
        columns = tuple(f"{alias}.c{i}" for i in range(len(relation.fields)))
        if not columns:
            raise NotNative("a set operation without columns")
        made = Select(f"(({left}) {operator} ({right})) AS {alias}", columns, is_plain=True)
        if is_plain:
            return made
        # Spark makes groups of the rows here, and groups have one zero.
        return made.with_columns([normal_zero(c, f.type) for c, f in zip(columns, relation.fields, strict=True)])


def write_relation(relation: Relation) -> tuple[str, Statement]:
    """The SQL text of a plan, columns named c0, c1 …, and the rows it takes along."""
    statement = Statement()
    text = RelationWriter(statement).write(relation).text()
    return statement.whole(text), statement
