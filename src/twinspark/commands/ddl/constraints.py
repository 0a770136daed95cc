"""CHECK constraints of Delta tables: compiled for writes, and added and dropped by ALTER TABLE."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.commands.dml.expressions import Texts, columns_of
from twinspark.errors import SparkError
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.rewrite import walk
from twinspark.read.sql import parse_expression
from twinspark.read.sql.tree import alterations as changes
from twinspark.read.sql_text import parser_config
from twinspark.read.walk import Walk
from twinspark.sessions.tables import tables_of
from twinspark.tables import RemoveProperty, SetProperty, TableChange
from twinspark.tables.delta.constraints import CONSTRAINT, Check, constraints
from twinspark.tables.delta.table import DeltaTable
from twinspark.types import BooleanType

ASSUMES_EXISTS = "spark.databricks.delta.constraints.assumesDropIfExists.enabled"


def with_checks(table: DeltaTable, parts: Sequence[str], context: Context) -> DeltaTable:
    """The table with its checks compiled under the settings of this session."""
    return replace(table, checks=lambda: checks_of(table, parts, context))


def checks_of(table: DeltaTable, parts: Sequence[str], context: Context) -> list[Check]:
    found = constraints(table.configuration())
    if not found:
        return []
    relation, qualifier = tables_of(context).relation(parts, context)
    frame = frame_of(relation, qualifier)
    return [check_of(name, text, frame, context) for name, text in found.items()]


def check_of(name: str, text: str, frame: Frame, context: Context) -> Check:
    condition = condition_of(name, text, frame, context)
    texts = Texts(context)
    schema = frame.plain().schema
    sql = texts.write(condition, columns_of("t", schema.names))
    texts.bind(tables_of(context).scan_context.connection)
    used = sorted({node.index for node in walk(condition) if isinstance(node, Column)})
    columns = sorted((schema.fields[index] for index in used), key=lambda field: field.name)
    return Check(name, condition.text, sql, tuple(columns))


def condition_of(name: str, text: str, frame: Frame, context: Context) -> Expression:
    reading = Walk(text, context)
    condition = reading.read(parse_expression(text, parser_config(context)), reading.scope(frame))
    if not isinstance(condition.type, BooleanType):
        raise SparkError("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", name=name, expr=text)
    return condition


# ---- ALTER TABLE … ADD CONSTRAINT, DROP CONSTRAINT


def add_constraint(change: changes.AddConstraint, target: Any, text: str, context: Context) -> Sequence[TableChange]:
    """Supports only CHECK constraints that all existing rows satisfy."""
    table, constraint = target.table, change.constraint
    if not isinstance(table, DeltaTable) or constraint.condition is None or constraint.name is None:
        raise target.unsupported_error("ALTER TABLE ... ADD CONSTRAINT")
    name = constraint.name.lower()
    known = {each.lower(): condition for each, condition in constraints(table.configuration()).items()}
    if name in known:
        raise SparkError("DELTA_CONSTRAINT_ALREADY_EXISTS", constraintName=constraint.name, oldConstraint=known[name])
    condition = text[constraint.condition.start : constraint.condition.stop]
    check_rows(name, condition, target, context)
    return [SetProperty(f"{CONSTRAINT}{name}", condition)]


def check_rows(name: str, condition: str, target: Any, context: Context) -> None:
    relation, qualifier = tables_of(context).relation(target.name.qualifier, context)
    check = check_of(name, condition, frame_of(relation, qualifier), context)
    rows = target.table.read(tables_of(context).scan_context).sql
    query = f"SELECT count(*) FROM {rows} AS t WHERE ({check.condition}) IS NOT TRUE"
    [(wrong,)] = tables_of(context).scan_context.connection.execute(query).fetchall()
    if wrong:
        raise SparkError(
            "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
            numRows=wrong,
            tableName=target.full_name,
            checkConstraint=condition,
        )


def drop_constraint(change: changes.DropConstraint, target: Any, context: Context) -> Sequence[TableChange]:
    table = target.table
    if not isinstance(table, DeltaTable):
        raise target.unsupported_error("ALTER TABLE ... DROP CONSTRAINT")
    named = [key for key in table.properties if key.lower() == f"{CONSTRAINT}{change.name.lower()}"]
    if not named and not change.if_exists and context.config.get(ASSUMES_EXISTS) != "true":
        raise SparkError(
            "DELTA_CONSTRAINT_DOES_NOT_EXIST",
            constraintName=change.name,
            tableName=target.full_name,
            config=ASSUMES_EXISTS,
            confValue="true",
        )
    return [RemoveProperty(key) for key in named]


def check_properties(change: changes.SetProperties, table: Any) -> None:
    """A constraint cannot be set as a table property, since existing rows must satisfy it."""
    constraint_keys = [key for key, _ in change.properties if key.lower().startswith(CONSTRAINT)]
    if isinstance(table, DeltaTable) and constraint_keys:
        raise SparkError("DELTA_ADD_CONSTRAINTS")
