"""Vector functions over arrays of floats, computed by the C extension."""

from __future__ import annotations

from twinspark.errors import Cause, reasons
from twinspark.functions.notation.registry import AGGREGATE, SPARK, Rule, fn
from twinspark.functions.notation.typing import Call, Typed, type_text, unexpected_input_type
from twinspark.types import FLOAT, ArrayType, DataType, FloatType

ORDER = Cause(reasons.FLOAT_PRECISION, "they depend on how Spark splits the rows")


def is_vector(type: DataType) -> bool:
    return isinstance(type, ArrayType) and isinstance(type.elementType, FloatType)


def of_vectors(call: Call) -> Typed:
    for index in range(len(call.arguments)):
        check_vector(call, index)
    return Typed(FLOAT, True)


def check_vector(call: Call, index: int) -> None:
    """Arguments are not cast: an array of doubles and an untyped null are errors."""
    if not is_vector(call.types[index]):
        raise unexpected_input_type(call, index, type_text(ArrayType(FLOAT)))


def of_degree(result: DataType) -> Rule:
    def rule(call: Call) -> Typed:
        check_vector(call, 0)
        if not all(isinstance(type, FloatType) for type in call.types[1:]):
            raise unexpected_input_type(call, 1, type_text(FLOAT))
        return Typed(result, True, (None, FLOAT))

    return rule


def vector_aggregate_type(call: Call) -> Typed:
    check_vector(call, 0)
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
