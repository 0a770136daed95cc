"""Writes what a worker reads before the rows: task context, files, configuration and functions
(PythonRunner.Writer)."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from twinspark import scratch
from twinspark.config.values import first_unusual, is_on, normal_text, number_of
from twinspark.errors import NotNative, reasons
from twinspark.plan.python_functions import PythonFunction
from twinspark.plan.python_relations import FunctionChain, PythonTable
from twinspark.workers import wire
from twinspark.workers.processes import FAULTS

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
# Settings with which a worker does what is not implemented here; other values than the defaults fall back to Spark.
DEFAULTS_ONLY = (
    "spark.sql.pyspark.worker.logging.enabled",
    "spark.sql.execution.pyspark.python",
    "spark.sql.execution.arrow.pyspark.validateSchema.enabled",
)
FAULT_HANDLER = "spark.sql.execution.pyspark.udf.faulthandler.enabled"
IDLE = "spark.sql.execution.pyspark.udf.idleTimeoutSeconds"
KILL = "spark.sql.execution.pyspark.udf.killOnIdleTimeout"
_results = count(1)  # profiles are stored under the id of a function's result
TASK: dict[str, object] = {
    "isBarrier": False,
    "connInfo": -1,
    "secret": None,
    "stageId": 0,
    "attemptNumber": 0,
    "cpus": 1,
    "resources": {},
    "localProperties": {},
}


@dataclass(frozen=True)
class SessionFiles:
    """The directory of a session's files, and which of them are on sys.path."""

    directory: str
    includes: tuple[str, ...] = ()


def check_config(config: Mapping[str, str]) -> None:
    if (unusual := first_unusual(config, DEFAULTS_ONLY)) is not None:
        raise NotNative(reasons.SETTING_VALUE, f"{unusual} = {config[unusual]}")
    if os.environ.get("PYSPARK_PYTHON", sys.executable) != sys.executable:
        raise NotNative(reasons.SETTING_VALUE, "PYSPARK_PYTHON names another interpreter than the server's")


def environment_of(config: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that a worker reads when it formats an exception."""
    variables = {
        "SPARK_SIMPLIFIED_TRACEBACK": "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled",
        "SPARK_HIDE_TRACEBACK": "spark.sql.execution.pyspark.udf.hideTraceback.enabled",
    }
    environment = {name: "1" for name, key in variables.items() if is_on(config, key)}
    return {**environment, FAULTS: fault_directory()} if is_on(config, FAULT_HANDLER) else environment


@cache
def fault_directory() -> str:
    return str(scratch.directory("faults"))


def idle_seconds(config: Mapping[str, str]) -> int:
    """After how many seconds without output a worker is killed; 0 for never."""
    return max(number_of(config, IDLE), 0) if is_on(config, KILL) else 0


def header(
    eval_type: int,
    functions: Sequence[PythonFunction],
    place: SessionFiles,
    config: Mapping[str, str],
    evaluation: Mapping[str, str],
    partition: int,
) -> bytes:
    runner = {key: normal_text(config, key) for key in RUNNER_KEYS if config.get(key)}
    return b"".join(
        [
            wire.integer(partition),
            wire.text(functions[0].version),
            wire.text(json.dumps({**TASK, "partitionId": partition, "taskAttemptId": partition})),
            files(functions, place),
            wire.integer(eval_type),
            wire.mapping(runner),
            wire.mapping(evaluation),
        ]
    )


def files(functions: Sequence[PythonFunction], place: SessionFiles) -> bytes:
    """The directory of the session's files, those on sys.path, and no broadcast variables."""
    includes = tuple(dict.fromkeys((*(i for f in functions for i in f.includes), *place.includes)))
    named = b"".join(map(wire.text, includes))
    return wire.text(place.directory) + wire.integer(len(includes)) + named + wire.boolean(False) + wire.integer(0)


def commands(chains: Sequence[FunctionChain]) -> bytes:
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
            wire.boolean(False) if analyzed is None else wire.boolean(True) + wire.frame(analyzed),
            wire.frame(relation.function.command),
            wire.text(columns),
            wire.text(relation.function.name),
        ]
    )


def argument(offset: int, key: str | None) -> bytes:
    return wire.integer(offset) + (wire.boolean(False) if key is None else wire.boolean(True) + wire.text(key))


def command(chain: FunctionChain) -> bytes:
    arguments = [argument(offset, key) for offset, key in zip(chain.offsets, chain.keys, strict=True)]
    functions = [wire.frame(each.command) for each in chain.functions]
    counted = [wire.integer(len(arguments)), *arguments, wire.integer(len(functions)), *functions]
    return b"".join([*counted, wire.long(next(_results))])
