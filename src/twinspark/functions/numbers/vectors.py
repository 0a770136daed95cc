"""Vector functions over arrays of floats, computed by the C extension."""

from __future__ import annotations

from twinspark.errors import Cause, NotNative, reasons
from twinspark.functions.notation.registry import AGGREGATE, SPARK, Rule, fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import FLOAT, ArrayType, DataType, FloatType

ORDER = Cause(reasons.FLOAT_PRECISION, "they depend on how Spark splits the rows")


def is_vector(type: DataType) -> bool:
    return isinstance(type, ArrayType) and isinstance(type.elementType, FloatType)


def of_vectors(call: Call) -> Typed:
    """Arguments are not cast: an array of doubles is an error."""
    if not all(map(is_vector, call.types)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of values that are not arrays of floats")
    return Typed(FLOAT, True)


def of_degree(result: DataType) -> Rule:
    def rule(call: Call) -> Typed:
        if not is_vector(call.types[0]) or not all(isinstance(type, FloatType) for type in call.types[1:]):
            raise NotNative(
                reasons.FUNCTION_ARGUMENT_TYPE,
                f"{call.name} of a value that is not an array of floats, or by a value that is not a float",
            )
        return Typed(result, True, (None, FLOAT))

    return rule


def vector_aggregate_type(call: Call) -> Typed:
    if not is_vector(call.types[0]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of values that are not arrays of floats")
    return Typed(ArrayType(FLOAT, False), True)


for name in ("vector_inner_product", "vector_cosine_similarity", "vector_l2_distance"):
    fn(f"{name}(any, any)", f"spark_{name}({{0}}, {{1}})", rule=of_vectors)
fn("vector_norm(any, any = 2.0)", "spark_vector_norm({0}, {1})", rule=of_degree(FLOAT), shows_defaults=True)
fn(
    "vector_normalize(any, any = 2.0)",
    "spark_vector_normalize({0}, {1})",
    rule=of_degree(ArrayType(FLOAT, True)),
    shows_defaults=True,
)
for name in ("vector_sum", "vector_avg"):
    fn(f"{name}(any)", SPARK, kind=AGGREGATE, rule=vector_aggregate_type, cause=ORDER)
