"""What a worker is told before the rows come: context, files, configuration and the functions (PythonRunner.Writer)."""

import atexit
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from twinspark.errors import NotNative
from twinspark.plan.python_functions import PythonFunction
from twinspark.plan.pythons import Chain, PythonTable
from twinspark.pythons import wire
from twinspark.pythons.workers import FAULTS

# What ArrowPythonRunner.getPythonRunnerConfMap sends, where it has a value.
RUNNER_KEYS = (
    "spark.sql.session.timeZone",
    "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName",
    "spark.sql.execution.pandas.convertToArrowArraySafely",
    "spark.sql.execution.arrow.useLargeVarTypes",
    "spark.sql.legacy.execution.pythonUDTF.pandas.conversion.enabled",
    "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled",
    "spark.sql.execution.pythonUDF.pandas.intToDecimalCoercionEnabled",
    "spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype",
    "spark.sql.execution.pyspark.binaryAsBytes",
    "spark.sql.execution.pythonUDF.arrow.concurrency.level",
    "spark.sql.pyspark.udf.profiler",
    "spark.sql.pyspark.dataSource.profiler",
    "window_bound_types",  # of a window's functions (ArrowWindowPythonEvaluatorFactory)
)
# Settings under which a worker does more than we know of, at the values we know.
KNOWN_VALUES = {
    "spark.sql.pyspark.worker.logging.enabled": "false",
    "spark.sql.execution.pyspark.python": "",
    "spark.sql.execution.arrow.pyspark.validateSchema.enabled": "false",
}
FAULT_HANDLER = "spark.sql.execution.pyspark.udf.faulthandler.enabled"
IDLE = "spark.sql.execution.pyspark.udf.idleTimeoutSeconds"
KILL = "spark.sql.execution.pyspark.udf.killOnIdleTimeout"
UNITS = {"": 1000, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}  # milliseconds
_results = count(1)  # profiles are kept by the number of a function's result
TASK: dict[str, object] = {
    "isBarrier": False,
    "connInfo": -1,
    "secret": None,
    "stageId": 0,
    "partitionId": 0,
    "attemptNumber": 0,
    "taskAttemptId": 0,
    "cpus": 1,
    "resources": {},
    "localProperties": {},
}


@dataclass(frozen=True)
class Place:
    """Where a session's files are, and which of them are on the path."""

    directory: str
    includes: tuple[str, ...] = ()


def check_config(config: Mapping[str, str]) -> None:
    for key, known in KNOWN_VALUES.items():
        if config.get(key, known).lower() != known:
            raise NotNative(f"{key} = {config[key]}")
    if os.environ.get("PYSPARK_PYTHON", sys.executable) != sys.executable:
        raise NotNative("PYSPARK_PYTHON names another interpreter than ours")


def environment_of(config: Mapping[str, str]) -> dict[str, str]:
    """What Spark says to workers by their environment: they read it when they meet an exception."""
    asked = {
        "SPARK_SIMPLIFIED_TRACEBACK": "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled",
        "SPARK_HIDE_TRACEBACK": "spark.sql.execution.pyspark.udf.hideTraceback.enabled",
    }
    told = {name: "1" for name, key in asked.items() if is_on(config, key)}
    return {**told, FAULTS: fault_directory()} if is_on(config, FAULT_HANDLER) else told


def is_on(config: Mapping[str, str], key: str) -> bool:
    return config.get(key, "false").lower() == "true"


@cache
def fault_directory() -> str:
    made = tempfile.mkdtemp(prefix="twinspark-faults-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def idle_seconds(config: Mapping[str, str]) -> int:
    """After how long a worker that says nothing is killed; 0 for never."""
    told = config.get(IDLE, "0").strip().lower()
    if not is_on(config, KILL):
        return 0
    found = re.fullmatch(r"(-?\d+) ?([a-z]*)", told)
    if found is None or found[2] not in UNITS:
        raise NotNative(f"{IDLE} = {told}")
    return max(int(found[1]) * UNITS[found[2]] // 1000, 0)


def header(
    eval_type: int,
    functions: Sequence[PythonFunction],
    place: Place,
    config: Mapping[str, str],
    evaluation: Mapping[str, str],
) -> bytes:
    runner = {key: config[key] for key in RUNNER_KEYS if config.get(key)}
    return b"".join(
        [
            wire.integer(0),  # the partition
            wire.text(functions[0].version),
            wire.text(json.dumps(TASK)),
            files(functions, place),
            wire.integer(eval_type),
            wire.mapping(runner),
            wire.mapping(evaluation),
        ]
    )


def files(functions: Sequence[PythonFunction], place: Place) -> bytes:
    """The session's files, those on the path, and that there are no broadcasts nor a server that decrypts them."""
    includes = tuple(dict.fromkeys((*(i for f in functions for i in f.includes), *place.includes)))
    named = b"".join(map(wire.text, includes))
    return wire.text(place.directory) + wire.integer(len(includes)) + named + wire.boolean(False) + wire.integer(0)


def commands(chains: Sequence[Chain]) -> bytes:
    """PythonUDFRunner.writeUDFs."""
    return wire.integer(len(chains)) + b"".join(map(command, chains))


def table_command(relation: PythonTable, columns: str) -> bytes:
    """PythonUDTFRunner.writeUDTF; `columns` are the function's own, as JSON."""
    analyzed = relation.analyzed
    return b"".join(
        [
            wire.integer(len(relation.offsets)),
            *(argument(offset, key) for offset, key in zip(relation.offsets, relation.keys, strict=True)),
            wire.integer(len(relation.partition)),
            *map(wire.integer, relation.partition),
            wire.boolean(False) if analyzed is None else wire.boolean(True) + wire.framed(analyzed),
            wire.framed(relation.function.command),
            wire.text(columns),
            wire.text(relation.function.name),
        ]
    )


def argument(offset: int, key: str | None) -> bytes:
    return wire.integer(offset) + (wire.boolean(False) if key is None else wire.boolean(True) + wire.text(key))


def command(chain: Chain) -> bytes:
    arguments = [argument(offset, key) for offset, key in zip(chain.offsets, chain.keys, strict=True)]
    functions = [wire.framed(each.command) for each in chain.functions]
    told = [wire.integer(len(arguments)), *arguments, wire.integer(len(functions)), *functions]
    return b"".join([*told, wire.long(next(_results))])
