"""A session's Python functions: those it registered, the workers that run them, and the files they can read."""

import os
import shutil
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.python.calls import Argument, python_call
from twinspark.analysis.python.table_functions import Given, TableArgument, table_call
from twinspark.analysis.scope.frames import frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.plan.expressions import Expression
from twinspark.plan.python_functions import GROUP_AGGREGATES, SCALARS, PythonFunction
from twinspark.plan.relations import Field
from twinspark.read.proto.python.functions import read_python_function
from twinspark.read.proto.python.table_functions import TEXTS, read_table_function
from twinspark.read.sql import tree
from twinspark.read.walk import Walk, read_query
from twinspark.read.walk.functions import sort_order
from twinspark.read.walk.sources import read_source
from twinspark.sessions.sql_functions import Functions, SqlFunction
from twinspark.types import DataType
from twinspark.workers.evaluate import SessionWorkers
from twinspark.workers.limits import WorkerLimits, give_back_user, take_user
from twinspark.workers.processes import Confinement, Pool
from twinspark.workers.task_header import SessionFiles

if TYPE_CHECKING:
    from twinspark.sessions.artifacts import Artifacts

ON_THE_PATH, BESIDE, ARCHIVES = "pyfiles/", "files/", "archives/"
PACKED = (".zip", ".tar.gz", ".tgz", ".tar")


@dataclass(frozen=True)
class PythonWorkers(SessionWorkers):
    """The Python workers and data sources of a session, for use in plans."""

    sources: Mapping[str, PythonFunction] = field(default_factory=dict)

    def source(self, name: str) -> PythonFunction | None:
        """The Python data source of that lower-case name."""
        return self.sources.get(name)

    @property
    def own(self) -> "PythonWorkers":
        return self


class PythonState:
    """The workers of a session and their directory, which contains the client's uploaded files."""

    def __init__(self, artifacts: "Artifacts", limits: WorkerLimits | None = None) -> None:
        self.pool = Pool(self._confinement)
        self._limits = limits or WorkerLimits()
        self._user: int | None = None
        self.sources: dict[str, PythonFunction] = {}
        self._artifacts = artifacts
        self._lock = threading.Lock()

    def workers(self, config: Mapping[str, str]) -> PythonWorkers:
        return PythonWorkers(self.pool, config, self._place, sources=dict(self.sources))

    def close(self) -> None:
        self.pool.close()
        if self._user is not None:
            give_back_user(self._user)
            self._user = None

    def _confinement(self) -> Confinement:
        """A directory for the workers only, and a user if we may choose one, so that other sessions' workers cannot
        read it."""
        with self._lock:
            if self._user is None and self._limits.user == "own" and os.geteuid() == 0:
                self._user = take_user()
                os.chown(self._artifacts.directory, -1, self._user)
                self._artifacts.directory.chmod(0o750)
            own = self._artifacts.directory / "own"
            if not own.exists():
                own.mkdir(0o700)
                os.chown(own, *(-1, -1) if self._user is None else (self._user, self._user))
            return Confinement(self._limits, self._user, str(own))

    def _place(self) -> SessionFiles:
        """Files are found by name in one directory, as on a Spark executor (SparkFiles)."""
        with self._lock:
            directory = self._artifacts.directory / "workers"
            directory.mkdir(exist_ok=True)
            paths = self._artifacts.paths()
            for name, path in paths.items():
                if name.startswith(ARCHIVES):
                    unpack(directory, name.removeprefix(ARCHIVES), path)
            for name, path in paths.items():
                if name.startswith((ON_THE_PATH, BESIDE)):
                    link(directory / Path(name).name, path)
            includes = tuple(Path(name).name for name in paths if name.startswith(ON_THE_PATH))
            return SessionFiles(str(directory), includes)


def unpack(directory: Path, name: str, path: Path) -> None:
    """Unpacks into the name after `#`, or the archive's own name (ArtifactManager, Utils.unpack)."""
    file, _, given = name.partition("#")
    if not file.lower().endswith(PACKED):
        raise NotNative(reasons.PYTHON_ARTIFACT, "an archive of a kind that only Spark unpacks")
    target = directory / (given.strip("/") or Path(file).name)
    if target == directory or not target.resolve().is_relative_to(directory.resolve()):
        raise SparkError("INVALID_ARTIFACT_PATH", name=f"{ARCHIVES}{name}")
    if target.exists():
        return
    try:
        unpack_below(target, path, file.lower().endswith(".zip"))
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as failure:
        shutil.rmtree(target, ignore_errors=True)
        raise NotNative(
            reasons.PYTHON_ARTIFACT, f"an archive that cannot be unpacked ({type(failure).__name__})"
        ) from failure


def unpack_below(target: Path, path: Path, is_zip: bool) -> None:
    """Archives with members or links outside of the target fall back to Spark, which treats each archive kind
    differently."""
    if is_zip:
        with zipfile.ZipFile(path) as packed:
            if any(name.startswith("/") or ".." in Path(name).parts for name in packed.namelist()):
                raise NotNative(reasons.PYTHON_ARTIFACT, "an archive with members outside its directory")
            packed.extractall(target)
        return
    with tarfile.open(path) as packed_tar:
        packed_tar.extractall(target, filter="data")


def link(target: Path, path: Path) -> None:
    if not target.exists():
        target.symlink_to(path)


@dataclass(frozen=True)
class RegisteredFunction:
    """A Python function registered under a name for SQL and call_function."""

    name: str
    function: PythonFunction
    type: DataType

    @property
    def is_aggregate(self) -> bool:
        return self.function.eval_type in GROUP_AGGREGATES

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        arguments = [argument_of(each, scope, walk) for each in node.arguments]
        try:
            return self.invoke(arguments, walk.context)
        except SparkError as error:
            raise walk.with_context(error, node) from error

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        raise NotNative(reasons.ERROR_MESSAGE, f"the function {self.name} returns a value, not a table")

    def invoke(self, arguments: list[Argument], context: Context) -> Expression:
        return python_call(self.function, self.type, arguments, False, context)


def argument_of(node: Any, scope: Scope, walk: Walk) -> Argument:
    if isinstance(node, tree.NamedArgument):
        return node.name, walk.read(node.value, scope)
    if isinstance(node, tree.Star):
        raise NotNative(reasons.STAR, "the argument of a Python function")
    return None, walk.read(node, scope)


def register_function(
    message: expressions_pb2.CommonInlineUserDefinedFunction, functions: Functions
) -> Callable[[], tuple[bytes, ...]]:
    """spark.udf.register; the name of a built-in function falls back to Spark, unless it is written session.name."""
    function, type = read_python_function(message)
    if message.function_name.lower() in SPARK_FUNCTIONS:
        raise NotNative(reasons.PYTHON_FUNCTION_NAME, "the name of a built-in function")
    if isinstance(functions.temporary().get(message.function_name.lower()), RegisteredTable):
        raise NotNative(reasons.PYTHON_FUNCTION_NAME, "the name of a table function")
    if function.eval_type not in SCALARS | GROUP_AGGREGATES:
        raise NotNative(reasons.PYTHON_FUNCTION_KIND, f"eval type {function.eval_type} under a registered name")

    def register() -> tuple[bytes, ...]:
        functions.put(message.function_name, RegisteredFunction(message.function_name, function, type))
        return ()

    return register


@dataclass(frozen=True)
class RegisteredTable:
    """A Python table function registered under a name for SQL."""

    name: str
    function: PythonFunction
    fields: tuple[Field, ...] | None  # None if its analyze method returns them

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        raise NotNative(reasons.ERROR_MESSAGE, f"the function {self.name} returns a table, not a value")

    def invoke(self, arguments: list[Argument], context: Context) -> Expression:
        raise NotNative(reasons.ERROR_MESSAGE, f"the function {self.name} returns a table, not a value")

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        arguments = [read_argument(each, scope, walk) for each in node.arguments]
        try:
            return frame_of(table_call(self.function, self.fields, arguments, walk.context, TEXTS))
        except SparkError as error:
            raise walk.with_context(error, node) from error


def read_argument(node: Any, scope: Scope, walk: Walk) -> Given:
    """An argument of a table function: a value or a table."""
    if isinstance(node, tree.NamedArgument) and isinstance(node.value, tree.TableArgument):
        return node.name, read_table_argument(node.value, walk)
    return (
        (None, read_table_argument(node, walk))
        if isinstance(node, tree.TableArgument)
        else argument_of(node, scope, walk)
    )


def read_table_argument(node: tree.TableArgument, walk: Walk) -> TableArgument:
    if isinstance(node.relation, tree.Query):
        frame = read_query(node.relation, walk)
    else:
        frame = read_source(tree.Table(node.start, node.stop, node.relation), walk)
    inside = walk.scope(frame)
    partition = tuple(walk.read(each, inside) for each in node.partition)
    ordering = tuple(sort_order(each, inside, walk) for each in node.order)
    return TableArgument(frame, partition, ordering, node.partitioning == "SINGLE")


def register_table_function(
    message: relations_pb2.CommonInlineUserDefinedTableFunction, functions: Functions
) -> Callable[[], tuple[bytes, ...]]:
    """spark.udtf.register; Spark has separate namespaces for table and scalar functions, so a name in both falls back
    to Spark."""
    function, fields = read_table_function(message)
    name = message.function_name
    if name.lower() in SPARK_FUNCTIONS or isinstance(functions.temporary().get(name.lower()), OTHERS):
        raise NotNative(reasons.PYTHON_FUNCTION_NAME, "a table function with the name of another function")

    def register() -> tuple[bytes, ...]:
        functions.put(name, RegisteredTable(name, function, fields))
        return ()

    return register


OTHERS = (SqlFunction, RegisteredFunction)
