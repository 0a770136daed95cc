"""Timeouts and retry limits for Spark: a server's `twinspark.spark.*` settings."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from twinspark.config.own import own_value

PREFIX = "twinspark.spark."


def setting_name(field: str) -> str:
    first, *others = field.split("_")
    return PREFIX + first + "".join(map(str.capitalize, others))


def default(field: str) -> Any:
    return own_value({}, setting_name(field))


@dataclass(frozen=True)
class SparkLimits:
    """Seconds, except for `circuit_failures`. A field `start_timeout` is set by `twinspark.spark.startTimeout`, whose
    meaning and default are in config/own.py."""

    start_timeout: float = default("start_timeout")
    start_limit: float = default("start_limit")
    remote_timeout: float = default("remote_timeout")
    silence_timeout: float = default("silence_timeout")
    ping_timeout: float = default("ping_timeout")
    hang_timeout: float = default("hang_timeout")
    retry_delay: float = default("retry_delay")
    retry_limit: float = default("retry_limit")
    circuit_failures: int = default("circuit_failures")

    @classmethod
    def of(cls, config: Mapping[str, str]) -> "SparkLimits":
        found = {each.name: own_value(config, setting_name(each.name)) for each in fields(cls)}
        return cls(**{**found, "circuit_failures": max(1, found["circuit_failures"])})
