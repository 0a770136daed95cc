"""Functions that only Spark can answer, each with its reason; they are not even typed here."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.registry import SPARK, Rule, fn
from twinspark.functions.typing import Call, Typed

REASONS = {
    "it calls a method of a Java class": "java_method reflect try_reflect",
    "Avro is read and written by Spark's own package": "from_avro to_avro schema_of_avro",
    "Protobuf is read and written by Spark's own package": "from_protobuf to_protobuf",
    "a measure of a metric view": "measure",
    "Spark's random numbers": "uniform",
    "what Spark's own Python workers wrote": "python_worker_logs",
}


def elsewhere(reason: str) -> Rule:
    def rule(call: Call) -> Typed:
        raise NotNative(f"{call.name}: {reason}")

    return rule


for reason, names in REASONS.items():
    for name in names.split():
        fn(f"{name}(any...)", SPARK, rule=elsewhere(reason), reason=reason)
