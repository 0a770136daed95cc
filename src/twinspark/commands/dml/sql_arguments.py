"""A command's SQL with its arguments: values of parameters, and DataFrames under their aliases."""

import re

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.literals import read_literal
from twinspark.read.sql_text import parameter_values, parser_config
from twinspark.read.walk import Walk


def walk_of(text: str, context: Context) -> Walk:
    """The analysis of a command's text, with its parameters bound."""
    message = context.statement
    if message is None:
        return Walk(text, context)
    sql = root_sql(message)
    scope = Scope(frame_of(OneRow()), context)
    named: dict[str, Expression] = {key: read_literal(value, context.settings) for key, value in sql.args.items()}
    named |= {key: read_expression(value, scope) for key, value in sql.named_arguments.items()}
    positional: list[Expression] = [read_literal(value, context.settings) for value in sql.pos_args]
    positional += [read_expression(value, scope) for value in sql.pos_arguments]
    return Walk(text, context, parameters=named, positions=parameter_values(text, positional, parser_config(context)))


def root_sql(relation: relations_pb2.Relation) -> relations_pb2.SQL:
    """The SQL message, which is nested in a relation with the DataFrames it references."""
    return relation.with_relations.root.sql if relation.WhichOneof("rel_type") == "with_relations" else relation.sql


def in_place(text: str, *spans: tuple[int, int]) -> str:
    """Only these substrings of a statement at their original offsets, so that errors have the same positions."""
    parts, end = [], 0
    for start, stop in spans:
        parts += [NO_BREAK.sub(" ", text[end:start]), text[start:stop]]
        end = stop
    return "".join(parts)


NO_BREAK = re.compile(r"[^\n]")


def query_message(text: str, context: Context) -> relations_pb2.Relation:
    """A query of the command as a relation for Spark, with the same arguments."""
    relation = relations_pb2.Relation()
    if context.statement is not None:
        relation.CopyFrom(context.statement)
    root_sql(relation).query = text
    return relation
