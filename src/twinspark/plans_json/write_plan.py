"""Implements `plan_of(df)`: writes a Connect DataFrame as a JSON plan, as far as the format can express it."""

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.plan import LogicalPlan
from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.plans_json.fixture import rows_json
from twinspark.plans_json.write_expression import Attribute, ExpressionWriter, Unsayable, type_json

SOURCES = (
    "read", "local_relation", "cached_local_relation", "chunked_cached_local_relation", "range", "sql",
    "cached_remote_relation", "unresolved_table_valued_function", "common_inline_user_defined_data_source",
)  # fmt: skip
IGNORED = ("repartition", "repartition_by_expression", "hint")  # these do not change the result
HOW = {1: "inner", 2: "full", 3: "left", 4: "right", 5: "left_anti", 6: "left_semi", 7: "cross"}
GROUPINGS = {1: "groupBy", 2: "rollup", 3: "cube"}
UNION = 2
Steps = list[dict[str, Any]]


def plan_of(frame: Any) -> Steps:
    """The plan of a Connect DataFrame: `execute_plan(source_of(df), None, plan_of(df))` equals `df`."""
    return PlanWriter(frame.sparkSession).steps(relation_of(frame))


def source_of(frame: Any) -> Any:
    """The DataFrame that is the input of the plan's first step."""
    writer = PlanWriter(frame.sparkSession)
    relation = relation_of(frame)
    while not writer.is_source(relation):
        relation = writer.input_of(relation)
    return writer.frame(relation)


def relation_of(frame: Any) -> relations_pb2.Relation:
    if not isinstance(frame, DataFrame):
        raise TypeError("plan_of reads the plan of a Spark Connect DataFrame; a classic one keeps its plan in the JVM")
    return frame._plan.plan(frame.sparkSession.client)


def kind_of(relation: relations_pb2.Relation) -> str:
    return relation.WhichOneof("rel_type") or "an empty relation"


class SubPlan(LogicalPlan):  # type: ignore[misc]  # PySpark ships no types
    """A relation inside a plan, as a plan of its own."""

    def __init__(self, relation: relations_pb2.Relation) -> None:
        super().__init__(None)
        self.relation = relation
        self._root_plan_id = relation.common.plan_id  # so that frame["column"] refers to this relation

    def plan(self, session: Any) -> relations_pb2.Relation:
        return self.relation


class PlanWriter:
    def __init__(self, session: Any) -> None:
        self.session = session

    def frame(self, relation: relations_pb2.Relation) -> Any:
        return DataFrame(SubPlan(relation), self.session)

    def is_source(self, relation: relations_pb2.Relation) -> bool:
        """Whether the relation is a source of data; createDataFrame is a ToDF over local data, which names columns."""
        kind = relation.WhichOneof("rel_type")
        return kind in SOURCES or (kind == "to_df" and self.is_source(relation.to_df.input))

    def input_of(self, relation: relations_pb2.Relation) -> relations_pb2.Relation:
        message = getattr(relation, kind_of(relation))
        return next(getattr(message, key) for key in ("input", "left", "left_input") if hasattr(message, key))

    def steps(self, relation: relations_pb2.Relation) -> Steps:
        if self.is_source(relation):
            return []
        kind = kind_of(relation)
        if kind in IGNORED:
            return self.steps(self.input_of(relation))
        if kind not in WRITERS:
            raise Unsayable(kind.replace("_", " "))
        message = getattr(relation, kind)
        return self.steps(self.input_of(relation)) + WRITERS[kind](self, message)

    def over(self, relation: relations_pb2.Relation) -> ExpressionWriter:
        """Writes expressions over one input; df["x"] becomes the name x if the input has only one column x."""

        def attribute(message: expressions_pb2.Expression.UnresolvedAttribute) -> dict[str, Any]:
            name = message.unparsed_identifier
            if message.HasField("plan_id") and occurrences(name, self.frame(relation).columns) > 1:
                raise Unsayable(f"which of the columns {name!r} is meant")
            return {"col": name}

        return ExpressionWriter(attribute)

    def other(self, relation: relations_pb2.Relation) -> dict[str, Any]:
        """The second input is written with its rows."""
        frame = self.frame(relation)
        fields = [{"name": f.name, "type": type_json(f.dataType), "nullable": f.nullable} for f in frame.schema.fields]
        return {"other_data": rows_json(frame), "other_schema": fields}


def occurrences(name: str, columns: list[str]) -> int:
    return sum(column.lower() == name.strip("`").lower() for column in columns)


def step(op: str, payload: Any) -> dict[str, Any]:
    return {"op": op, "payload": payload}


def write_project(writer: PlanWriter, message: relations_pb2.Project) -> Steps:
    return [step("select", writer.over(message.input).write_all(message.expressions))]


def write_filter(writer: PlanWriter, message: relations_pb2.Filter) -> Steps:
    return [step("filter", writer.over(message.input).write(message.condition))]


def write_limit(writer: PlanWriter, message: relations_pb2.Limit) -> Steps:
    return [step("limit", {"n": message.limit})]


def write_offset(writer: PlanWriter, message: relations_pb2.Offset) -> Steps:
    return [step("offset", {"n": message.offset})]


def write_sort(writer: PlanWriter, message: relations_pb2.Sort) -> Steps:
    if not message.is_global:
        raise Unsayable("a sort within partitions")
    expressions = writer.over(message.input)
    return [step("orderBy", {"columns": [expressions.write_sort_order(order) for order in message.order]})]


def write_deduplicate(writer: PlanWriter, message: relations_pb2.Deduplicate) -> Steps:
    if not message.all_columns_as_keys or message.within_watermark:
        raise Unsayable("dropDuplicates of some columns")
    return [step("distinct", {})]


def write_drop(writer: PlanWriter, message: relations_pb2.Drop) -> Steps:
    columns = writer.over(message.input).write_all(message.columns)
    if any(set(column) != {"col"} for column in columns):
        raise Unsayable("drop of an expression")
    return [step("drop", {"columns": [*columns, *message.column_names]})]


def write_with_columns(writer: PlanWriter, message: relations_pb2.WithColumns) -> Steps:
    """withColumns evaluates all expressions over the input, so it becomes one select if an expression reads a column
    that the same call assigns."""
    expressions = writer.over(message.input)
    assigned = {alias.name[0]: expressions.write(alias.expr) for alias in message.aliases}
    if any(alias.metadata for alias in message.aliases):
        raise Unsayable("column metadata")
    names = list(assigned)
    if any(mentions(assigned[name], names[:at]) for at, name in enumerate(names)):
        return [step("select", replace_columns(writer.frame(message.input).columns, assigned))]
    return [step("withColumn", {"name": name, "expr": expression}) for name, expression in assigned.items()]


def mentions(expression: Any, names: list[str]) -> bool:
    lower = {name.lower() for name in names}
    return any(text.partition(".")[0].strip("`").lower() in lower for text in texts(expression))


def texts(written: Any) -> Iterator[str]:
    """All strings in an expression; one that only looks like a column name makes the plan longer, but not wrong."""
    if isinstance(written, str):
        yield written
    elif isinstance(written, dict | list):
        for part in written.values() if isinstance(written, dict) else written:
            yield from texts(part)


def replace_columns(columns: list[str], assigned: dict[str, Any]) -> list[Any]:
    by_lower = {name.lower(): name for name in assigned}
    kept = [by_lower.pop(column.lower(), "") or column for column in columns]
    return [
        {"name": name, "expr": assigned[name]} if name in assigned else {"col": quote_name(name)}
        for name in [*kept, *by_lower.values()]
    ]


def quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def write_with_columns_renamed(writer: PlanWriter, message: relations_pb2.WithColumnsRenamed) -> Steps:
    renames = [(rename.col_name, rename.new_col_name) for rename in message.renames]
    renames += list(message.rename_columns_map.items())
    if {old.lower() for old, _ in renames} & {new.lower() for _, new in renames} and len(renames) > 1:
        raise Unsayable("renames that depend on each other")
    return [step("withColumnRenamed", {"old": old, "new": new}) for old, new in renames]


def write_to_df(writer: PlanWriter, message: relations_pb2.ToDF) -> Steps:
    columns = writer.frame(message.input).columns
    if len({column.lower() for column in columns}) < len(columns):
        raise Unsayable("toDF over columns of the same name")
    pairs = zip(columns, message.column_names, strict=True)
    return [step("select", [{"name": new, "expr": {"col": quote_name(old)}} for old, new in pairs])]


def write_aggregate(writer: PlanWriter, message: relations_pb2.Aggregate) -> Steps:
    if message.group_type not in GROUPINGS:
        raise Unsayable("a pivot or grouping sets")
    expressions = writer.over(message.input)
    grouping = expressions.write_all(message.grouping_expressions)
    aggregates = [{"expr": aggregate} for aggregate in expressions.write_all(message.aggregate_expressions)]
    if not aggregates:
        raise Unsayable("a grouping without aggregates")
    return [step(GROUPINGS[message.group_type], {"group_by": grouping, "aggs": aggregates})]


def write_set_op(writer: PlanWriter, message: relations_pb2.SetOperation) -> Steps:
    if message.set_op_type != UNION or not message.is_all:
        raise Unsayable("intersect, except or a union of distinct rows")
    other = writer.other(message.right_input)
    if message.by_name:
        return [step("unionByName", {**other, "allow_missing_columns": message.allow_missing_columns})]
    return [step("union", other)]


def write_join(writer: PlanWriter, message: relations_pb2.Join) -> Steps:
    how, other = HOW[message.join_type], writer.other(message.right)
    if message.using_columns:
        return [step("join", {**other, "on": list(message.using_columns), "how": how})]
    if message.HasField("join_condition"):
        condition = ExpressionWriter(join_attributes(message)).write(message.join_condition)
        return [step("join", {**other, "on": condition, "how": how})]
    if how not in ("inner", "cross"):
        raise Unsayable(f"a {how} join without a condition")
    return [step("crossJoin", other)]


def join_attributes(join: relations_pb2.Join) -> Attribute:
    """Writes column references of a join condition: df["x"] belongs to the side that contains the plan of df."""
    sides = {"left": plan_ids(join.left), "right": plan_ids(join.right)}

    def attribute(message: expressions_pb2.Expression.UnresolvedAttribute) -> dict[str, Any]:
        name = message.unparsed_identifier
        if not message.HasField("plan_id"):
            return {"col": name}
        found = [side for side, ids in sides.items() if message.plan_id in ids]
        if len(found) != 1:
            raise Unsayable(f"which side of the join {name!r} belongs to")
        return {"col": name, "side": found[0]}

    return attribute


def plan_ids(relation: relations_pb2.Relation) -> set[int]:
    """The plan ids of a relation and of everything below it."""
    found = {relation.common.plan_id}
    message = getattr(relation, kind_of(relation))
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.name == "Relation":
            found |= plan_ids(value)
    return found


WRITERS: dict[str, Callable[[PlanWriter, Any], Steps]] = {
    "project": write_project,
    "filter": write_filter,
    "limit": write_limit,
    "offset": write_offset,
    "sort": write_sort,
    "deduplicate": write_deduplicate,
    "drop": write_drop,
    "with_columns": write_with_columns,
    "with_columns_renamed": write_with_columns_renamed,
    "to_df": write_to_df,
    "aggregate": write_aggregate,
    "set_op": write_set_op,
    "join": write_join,
}
