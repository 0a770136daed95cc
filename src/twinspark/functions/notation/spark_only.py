"""Functions that run only on Spark, each with its reason; calls of them have no types here."""

from __future__ import annotations

from twinspark.errors import Cause, NotNative, reasons
from twinspark.functions.notation.registry import SPARK, Rule, fn
from twinspark.functions.notation.typing import Call, Typed

CAUSES = {
    Cause(reasons.FUNCTION_SPARK_ONLY, "it calls a method of a Java class"): "java_method reflect try_reflect",
    Cause(reasons.FUNCTION_SPARK_ONLY, "Spark's package for Avro is needed"): "from_avro to_avro schema_of_avro",
    Cause(reasons.FUNCTION_SPARK_ONLY, "Spark's package for Protobuf is needed"): "from_protobuf to_protobuf",
    Cause(reasons.FUNCTION_SPARK_ONLY, "a measure of a metric view"): "measure",
    Cause(reasons.RANDOM_NUMBERS): "uniform",
    Cause(reasons.FUNCTION_SPARK_ONLY, "the logs of Spark's own Python workers"): "python_worker_logs",
}


def fall_back(cause: Cause) -> Rule:
    def rule(call: Call) -> Typed:
        raise NotNative(cause.reason, f"{call.name}: {cause.detail}" if cause.detail else call.name)

    return rule


for cause, names in CAUSES.items():
    for name in names.split():
        fn(f"{name}(any...)", SPARK, rule=fall_back(cause), cause=cause)
