"""How many tasks Spark would give rows that came with a query: what the order of small results depends on."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LOCAL = re.compile(r"local(?:\[(\d+|\*)(?:,\d+)?\])?")
QUOTA = Path("/sys/fs/cgroup/cpu.max")
EXPECTED = {  # only as they are by default is the order of rows known
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "128",
}


EXCLUDED, FOLDING = "spark.sql.optimizer.excludedRules", "ConvertToLocalRelation"
PIECES = {  # in which files are shared out by default
    "spark.sql.files.openCostInBytes": "4194304",
    "spark.sql.files.maxPartitionBytes": "134217728",
    "spark.sql.files.minPartitionNum": "",
    "spark.sql.files.maxPartitionNum": "",
}
THRESHOLD, BROADCASTS = "spark.sql.autoBroadcastJoinThreshold", "10485760"


@dataclass(frozen=True)
class Partitions:
    """`slices`: tasks that read local rows; `shuffled`: into how many parts a shuffle sorts rows by their hash;
    `broadcasts`: whether the smaller side of a join goes to every task; `folds`: whether Spark's optimizer computes
    projections and filters of local rows itself, before there are tasks; `plain_files`: whether files are shared out
    as they are by default. By default all are so."""

    slices: int
    shuffled: int
    broadcasts: bool = True
    folds: bool = True
    plain_files: bool = True


def partitions_of(config: Mapping[str, str]) -> Partitions | None:
    """None where the Spark beside us is not a local one, or is told to run its queries in another way."""
    if any(config.get(key, known).removesuffix("b") != known for key, known in EXPECTED.items()):
        return None
    threshold = config.get(THRESHOLD, BROADCASTS).removesuffix("b")
    if threshold not in (BROADCASTS, "-1"):
        return None
    slices = config.get("spark.sql.leafNodeDefaultParallelism") or config.get("spark.default.parallelism")
    found = int(slices) if slices and slices.isdigit() else tasks_of(config.get("spark.master", ""))
    shuffled = config.get("spark.sql.shuffle.partitions", "200")
    if not found or not shuffled.isdigit():
        return None
    broadcasts, folds = threshold == BROADCASTS, FOLDING not in config.get(EXCLUDED, "")
    return Partitions(found, int(shuffled), broadcasts, folds, cuts_as_usual(config))


def cuts_as_usual(config: Mapping[str, str]) -> bool:
    return all((config.get(key) or known).removesuffix("b") == known for key, known in PIECES.items())


def folding_partitions(config: Mapping[str, str]) -> Partitions | None:
    """Those that samples and random numbers know: local rows are sliced when all that can be done before is done."""
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
    """As Java counts them: those this process may use, within its container's share."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit, _, period = QUOTA.read_text().strip().partition(" ") if QUOTA.exists() else ("max", "", "")
    return usable if limit == "max" else min(usable, -(-int(limit) // int(period or 100_000)))
