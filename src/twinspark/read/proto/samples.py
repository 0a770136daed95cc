"""Connect relations that take a part of the rows by chance: sample (randomSplit too) and sampleBy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.samples import resampled, sampled
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression, Literal
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.types import DOUBLE, INTEGRAL, STRING, BooleanType


@RELATIONS.handles("sample")
def read_sample(message: Any, context: Context) -> Frame:
    """With replacement the numbers come from another distribution."""
    if not message.HasField("seed"):
        raise NotNative("a sample without a seed")
    frame, settings = read_frame(message.input, context), context.settings
    low, high = message.lower_bound, message.upper_bound
    if message.with_replacement and high != low:
        return make.opaque(frame, lambda input: resampled(input, message.seed, high - low, context))
    if not 0.0 <= high - low <= 1.0:
        raise NotNative("a sample of a fraction that is none")
    if high == low:
        return make.limit(frame, 0)
    if (low, high) == (0.0, 1.0):
        return frame
    bounds = (build.literal(low, DOUBLE), build.literal(high, DOUBLE))

    def keeps(number: Expression) -> Expression:
        tests = [build.call(name, [number, bound], settings) for name, bound in zip((">=", "<"), bounds, strict=True)]
        return build.call("and", tests, settings)

    sorts = message.deterministic_order
    return make.opaque(frame, lambda input: sampled(input, message.seed, keeps, context, sorts, folds=False))


@RELATIONS.handles("sample_by")
def read_sample_by(message: Any, context: Context) -> Frame:
    """A fraction for each value of a column; rows of other values are not taken (DataFrameStatFunctions.sampleBy)."""
    frame, settings = read_frame(message.input, context), context.settings
    stratum = read_expression(message.col, Scope(frame, context))
    if not message.HasField("seed") or kind_of(stratum) is None:
        raise NotNative("a stratified sample by such a column, or without a seed")
    share = share_of(stratum, message.fractions, settings)

    def keeps(number: Expression) -> Expression:
        return build.call("<", [number, share], settings)

    return make.over(frame, lambda input: sampled(input, message.seed, keeps, context, sorts=False, folds=True))


def share_of(stratum: Expression, fractions: Sequence[Any], settings: Settings) -> Expression:
    branches = []
    for each in fractions:
        value = read_literal(each.stratum, settings)
        if not isinstance(value, Literal) or value.value is None or not 0.0 <= each.fraction <= 1.0:
            raise NotNative("a stratified sample of nulls, or of fractions that are none")
        if kind_of(value) != kind_of(stratum):
            raise NotNative("a stratified sample by values of another type")
        branches.append((build.call("==", [stratum, value], settings), build.literal(each.fraction, DOUBLE)))
    return build.case_when(branches, build.literal(0.0, DOUBLE), settings) if branches else build.literal(0.0, DOUBLE)


def kind_of(value: Expression) -> str | None:
    """Values of one kind are equal as in Scala; of others that is not known."""
    kinds = {"number": isinstance(value.type, INTEGRAL), "boolean": isinstance(value.type, BooleanType)}
    return next((kind for kind, is_it in {**kinds, "text": value.type == STRING}.items() if is_it), None)
