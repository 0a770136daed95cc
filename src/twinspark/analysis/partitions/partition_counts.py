"""How many tasks and shuffle partitions a local Spark would use, on which the row order of small results depends."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from twinspark.config.values import default_of, first_unusual, number_of, value_of

LOCAL = re.compile(r"local(?:\[(\d+|\*)(?:,\d+)?\])?")
QUOTA = Path("/sys/fs/cgroup/cpu.max")
EXPECTED = (  # the row order is known only with the default values of these settings
    "spark.sql.adaptive.enabled",
    "spark.sql.adaptive.coalescePartitions.enabled",
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold",
)


EXCLUDED, FOLDING = "spark.sql.optimizer.excludedRules", "ConvertToLocalRelation"
PIECES = (  # settings that decide how files are split among tasks
    "spark.sql.files.openCostInBytes",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.files.minPartitionNum",
    "spark.sql.files.maxPartitionNum",
)
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@dataclass(frozen=True)
class Partitions:
    """`slices`: the number of tasks for local rows; `shuffled`: the number of hash partitions of a shuffle;
    `broadcasts`: whether the smaller side of a join is broadcast; `folds`: whether Spark's optimizer evaluates
    projections and filters over local rows itself, before it creates tasks; `plain_files`: whether files are split with
    default settings. These defaults are those of Spark."""

    slices: int
    shuffled: int
    broadcasts: bool = True
    folds: bool = True
    plain_files: bool = True


def partitions_of(config: Mapping[str, str]) -> Partitions | None:
    """None if Spark does not run locally, or runs queries with other settings than the supported ones."""
    threshold = number_of(config, THRESHOLD)
    if first_unusual(config, EXPECTED) or threshold not in (default_of(THRESHOLD), -1):
        return None
    found = slices_of(config)
    shuffled = number_of(config, "spark.sql.shuffle.partitions")
    broadcasts, folds = threshold != -1, FOLDING not in config.get(EXCLUDED, "")
    return Partitions(found, shuffled, broadcasts, folds, cuts_as_usual(config)) if found else None


def slices_of(config: Mapping[str, str]) -> int | None:
    slices = value_of(config, "spark.sql.leafNodeDefaultParallelism")
    default = config.get("spark.default.parallelism", "")
    if slices is None and default.isdigit():
        return int(default)
    return slices if isinstance(slices, int) else tasks_of(config.get("spark.master", ""))


def cuts_as_usual(config: Mapping[str, str]) -> bool:
    return first_unusual(config, PIECES) is None


def folding_partitions(config: Mapping[str, str]) -> Partitions | None:
    """The partitions for samples and random numbers: local rows are sliced after the optimizer has evaluated all it
    can."""
    found = partitions_of(config)
    return found if found is not None and found.folds else None


def tasks_of(master: str) -> int | None:
    """SparkContext.defaultParallelism of a local master."""
    match = LOCAL.fullmatch(master)
    if match is None:
        return None
    return processors() if match[1] == "*" else int(match[1] or 1)


@cache
def processors() -> int:
    """The number of processors as Java counts them: those available to this process within its container's limit."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit, _, period = QUOTA.read_text().strip().partition(" ") if QUOTA.exists() else ("max", "", "")
    return usable if limit == "max" else min(usable, -(-int(limit) // int(period or 100_000)))
