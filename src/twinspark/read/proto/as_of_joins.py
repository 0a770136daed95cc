"""Reads the Connect relations as_of_join and nearest_by_join."""

from __future__ import annotations

from functools import reduce

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations.as_of_joins import Nearest, nearest_by_join, nearest_join
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope, resolve
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression, Literal
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.types import BooleanType

KINDS = {"": "inner", "inner": "inner", "left": "left", "leftouter": "left"}
LIMIT = 100_000  # NearestByJoinValidation.MaxNumResults
LATER = {"backward": (">=", ">"), "forward": ("<=", "<")}  # with and without exact matches


@RELATIONS.handles("as_of_join")
def read_as_of_join(message: relations_pb2.AsOfJoin, context: Context) -> Frame:
    kind = KINDS.get(message.join_type.replace("_", "").lower())
    direction = message.direction.lower()
    if kind is None or direction not in ("backward", "forward", "nearest"):
        raise NotNative(reasons.JOIN_AS_OF, "this join type")
    left, right = read_frame(message.left, context), read_frame(message.right, context)

    def find_nearest(sides: Frame) -> Nearest:
        scope = Scope(sides, context)
        ours, theirs = (read_expression(e, scope) for e in (message.left_as_of, message.right_as_of))
        tests = own_conditions(message, left, sides, context)
        tests += time_conditions(message, direction, ours, theirs, scope)
        whole = reduce(lambda a, b: build.call("and", [a, b], context.settings), tests) if tests else None
        return Nearest(whole, distance(direction, ours, theirs, context.settings))

    return nearest_join(left, right, kind, find_nearest, context.settings)


def own_conditions(message: relations_pb2.AsOfJoin, left: Frame, sides: Frame, context: Context) -> list[Expression]:
    """The other conditions: equality of USING columns, or a join condition."""
    settings = context.settings
    if message.using_columns:
        width = len(left.attributes)
        halves = [Scope(half, context) for half in (one_side(sides, 0, width), one_side(sides, width, None))]
        named = [[resolve(half, attribute_parts(n)).expression for half in halves] for n in message.using_columns]
        return [build.call("==", pair, settings) for pair in named]
    if not message.HasField("join_expr"):
        return []
    condition = read_expression(message.join_expr, Scope(sides, context))
    if not isinstance(condition.type, BooleanType):
        raise NotNative(reasons.ERROR_MESSAGE, "the condition of an as-of join is not a boolean")
    return [condition]


def one_side(sides: Frame, first: int, last: int | None) -> Frame:
    return Frame(sides.relation, sides.attributes[first:last], sides.slots)


def time_conditions(
    message: relations_pb2.AsOfJoin, direction: str, ours: Expression, theirs: Expression, scope: Scope
) -> list[Expression]:
    """The conditions on the two times (AsOfJoin.makeAsOfCond)."""
    settings, exact = scope.context.settings, message.allow_exact_matches
    if direction == "nearest":
        base = [] if exact else [build.call("not", [build.call("==", [ours, theirs], settings)], settings)]
    else:
        base = [build.call(LATER[direction][not exact], [ours, theirs], settings)]
    if not message.HasField("tolerance"):
        return base
    tolerance = read_expression(message.tolerance, scope)
    if not isinstance(tolerance, Literal) or tolerance.value is None or tolerance.value < 0:
        raise NotNative(reasons.JOIN_AS_OF, "a tolerance that is not a constant or is negative")
    lowest = build.call("-", [ours, tolerance], settings)
    highest = build.call("+", [ours, tolerance], settings)
    bounds = []
    if direction in ("backward", "nearest"):
        bounds.append(build.call(">=" if exact else ">", [theirs, lowest], settings))
    if direction in ("forward", "nearest"):
        bounds.append(build.call("<=" if exact else "<", [theirs, highest], settings))
    return [*base, *bounds]


def distance(direction: str, ours: Expression, theirs: Expression, settings: Settings) -> Expression:
    back, on = (build.call("-", pair, settings) for pair in ([ours, theirs], [theirs, ours]))
    if direction == "nearest":
        return build.case_when([(build.call(">", [ours, theirs], settings), back)], on, settings)
    return back if direction == "backward" else on


@RELATIONS.handles("nearest_by_join")
def read_nearest_by_join(message: relations_pb2.NearestByJoin, context: Context) -> Frame:
    """The columns of both sides are nullable (NearestByJoin.output)."""
    kind = {"inner": "inner", "leftouter": "left"}.get(message.join_type.replace("_", "").lower())
    direction, mode = message.direction.lower(), message.mode.lower()
    known = kind and direction in ("distance", "similarity") and mode in ("exact", "approx")
    if not kind or not known or not 1 <= message.num_results <= LIMIT:
        raise NotNative(reasons.JOIN_AS_OF, "this join type of a nearest-by join")
    left, right = read_frame(message.left, context), read_frame(message.right, context)

    def ranking(sides: Frame) -> Expression:
        return read_expression(message.ranking_expression, Scope(sides, context))

    largest = direction == "similarity"
    return nearest_by_join(left, right, kind, ranking, message.num_results, largest, context)
