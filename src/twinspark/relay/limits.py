"""Timeouts and retry limits for Spark: a server's `twinspark.spark.*` settings and their defaults."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

PREFIX = "twinspark.spark."
UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}  # JavaUtils.timeStringAs
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")


@dataclass(frozen=True)
class SparkLimits:
    """Seconds, except for `circuit_failures`. A field `start_timeout` is set by `twinspark.spark.startTimeout`."""

    start_timeout: float = 60.0  # a start whose log shows a cause of failure is abandoned after this
    start_limit: float = 600.0  # a start whose log shows none is abandoned after this: a busy machine takes minutes
    remote_timeout: float = 10.0  # a remote Spark must answer its first call within this
    silence_timeout: float = 10.0  # after calls received nothing for this long, the hang detection pings Spark
    ping_timeout: float = 5.0  # timeout of that ping
    hang_timeout: float = 60.0  # after pings were unanswered for this long, Spark counts as hung
    retry_delay: float = 10.0  # the first pause of an open circuit; doubled by every further failure
    retry_limit: float = 60.0  # its longest pause
    circuit_failures: int = 3  # this many consecutive failed starts open the circuit

    @classmethod
    def of(cls, config: Mapping[str, str]) -> "SparkLimits":
        given = {each.name: config[key] for each in fields(cls) if (key := setting_name(each.name)) in config}
        failures = given.pop("circuit_failures", None)
        seconds = {name: seconds_of(setting_name(name), text) for name, text in given.items()}
        limits = replace(cls(), **seconds)  # type: ignore[arg-type]  # the only integer was removed
        return limits if failures is None else replace(limits, circuit_failures=max(1, int(failures)))


def setting_name(field: str) -> str:
    first, *others = field.split("_")
    return PREFIX + first + "".join(map(str.capitalize, others))


def seconds_of(setting: str, text: str) -> float:
    found = DURATION.fullmatch(text.strip().lower())
    if found is None or found[2] not in UNITS:
        raise ValueError(f"{setting} is a time such as 30s or 2m, not {text!r}")
    return float(found[1]) * UNITS[found[2]]
