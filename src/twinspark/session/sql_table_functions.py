"""SQL functions that return tables: their query, read over one row of arguments that it may look at."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis import build, joins
from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.local_data import fields_of
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.functions.castable import can_store
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Field, Fields, Join, Values
from twinspark.read.sql import parse_query, parse_type, tree
from twinspark.read.text import parser_config
from twinspark.read.walk import Walk, read_query
from twinspark.session.sql_functions import SqlFunction, arguments_of, stored
from twinspark.session.text_views import surroundings_of_then
from twinspark.types import StructType


def table_function(made: SqlFunction, statement: Any, context: Context) -> SqlFunction:
    """The function with its columns: those declared, or those of its query."""
    declared = [build.literal(None, parse_type(each.type)) for each in made.parameters]
    found = body_frame(made, declared, context)[1]
    if isinstance(statement.returns_table, StructType):
        columns = statement.returns_table
        if any(not each.nullable for each in columns.fields) or len(set(map(str.lower, columns.names))) < len(columns):
            raise NotNative("SQL: a function whose columns are required, or called alike")
    else:
        columns = found.plain().schema
    cast_columns(found, fields_of(columns), context)
    return replace(made, columns=columns.json())


def body_frame(function: SqlFunction, values: Sequence[Expression], context: Context) -> tuple[Frame, Frame]:
    """One row of arguments, and the query that sees it."""
    fields = tuple(Field(p.name, v.type, v.nullable) for p, v in zip(function.parameters, values, strict=True))
    left = frame_of(Values(rows=(tuple(values),), fields=fields))
    query = parse_query(function.body, parser_config(context))
    right = read_query(query, Walk(function.body, context, outer=Scope(left, context)))
    return left, frame_of(right.plain())


def cast_columns(frame: Frame, columns: Fields, context: Context) -> list[Named]:
    if len(columns) != len(frame.attributes):
        raise NotNative("SQL: a function with another number of columns than its query")
    if not all(can_store(a.type, c.type) for a, c in zip(frame.attributes, columns, strict=True)):
        raise NotNative("SQL: a function whose columns are of other types than its query's")
    return [
        Named(build.implicit_cast(frame.column(a), c.type, context.settings), c.name)
        for a, c in zip(frame.attributes, columns, strict=True)
    ]


def called_table(function: SqlFunction, node: tree.TableFunction, scope: Scope, walk: Walk) -> Frame:
    """The rows of the function for these arguments: a lateral join of one row with the query."""
    then = surroundings_of_then(walk.context, function.config, function.catalog, function.database)
    types = [parse_type(each.type) for each in function.parameters]
    given, _ = arguments_of(function, node, scope, walk)
    values = [stored(value, type, walk.settings) for value, type in zip(given, types, strict=True)]
    columns = fields_of(StructType.fromJson(json.loads(function.columns)))
    if not values:
        frame = body_frame(function, [], then)[1]
        return make.project(frame, cast_columns(frame, columns, then))
    left, right = body_frame(function, values, then)
    joined = joins.join(left, right, "inner", lambda sides: None)
    assert isinstance(joined.relation, Join)
    joined = replace(joined, relation=replace(joined.relation, lateral=True))
    shown = replace(joined, attributes=joined.attributes[len(left.attributes) :])
    return make.project(shown, cast_columns(shown, columns, then))
