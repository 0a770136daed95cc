"""A session's Python functions: those it registered, the workers that run them, and the files they see."""

import shutil
import tarfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.python_calls import Argument, python_call
from twinspark.analysis.python_tables import Given, TableArgument, table_call
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.plan.expressions import Expression
from twinspark.plan.python_functions import GROUP_AGGREGATES, SCALARS, PythonFunction
from twinspark.plan.relations import Field
from twinspark.pythons.evaluate import SessionWorkers
from twinspark.pythons.tasks import Place
from twinspark.pythons.workers import Pool
from twinspark.read.proto.python_functions import read_python_function
from twinspark.read.proto.python_tables import TEXTS, read_table_function
from twinspark.read.sql import tree
from twinspark.read.walk import Walk, read_query
from twinspark.read.walk.functions import sort_order
from twinspark.read.walk.sources import read_source
from twinspark.session.sql_functions import SqlFunction
from twinspark.types import DataType

if TYPE_CHECKING:
    from twinspark.session.artifacts import Artifacts
    from twinspark.session.session import Session

ON_THE_PATH, BESIDE, ARCHIVES = "pyfiles/", "files/", "archives/"
PACKED = (".zip", ".tar.gz", ".tgz", ".tar")


@dataclass(frozen=True)
class PythonWorkers(SessionWorkers):
    """What a plan holds of a session."""

    sources: Mapping[str, PythonFunction] = field(default_factory=dict)

    def source(self, name: str) -> PythonFunction | None:
        """The Python data source of that name, in small letters."""
        return self.sources.get(name)

    @property
    def own(self) -> "PythonWorkers":
        return self


class Pythons:
    """The workers of a session and their directory, which holds what the client uploaded."""

    def __init__(self, artifacts: "Artifacts") -> None:
        self.pool = Pool()
        self.sources: dict[str, PythonFunction] = {}
        self._artifacts = artifacts
        self._lock = threading.Lock()

    def workers(self, config: Mapping[str, str]) -> PythonWorkers:
        return PythonWorkers(self.pool, config, self._place, dict(self.sources))

    def close(self) -> None:
        self.pool.close()

    def _place(self) -> Place:
        """Files are found by their names in one directory, as on a Spark executor (SparkFiles)."""
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
            return Place(str(directory), includes)


def unpack(directory: Path, name: str, path: Path) -> None:
    """Below the name behind `#`, or the archive's own (ArtifactManager, Utils.unpack)."""
    file, _, given = name.partition("#")
    if not file.lower().endswith(PACKED):
        raise NotNative("an uploaded archive of a kind that Spark unpacks")
    target = directory / (given or Path(file).name)
    if target.exists():
        return
    if file.lower().endswith(".zip"):
        shutil.unpack_archive(path, target, "zip")
    else:
        with tarfile.open(path) as packed:
            packed.extractall(target, filter="data")


def link(target: Path, path: Path) -> None:
    if not target.exists():
        target.symlink_to(path)


@dataclass(frozen=True)
class RegisteredFunction:
    """A Python function under a name that SQL and call_function know."""

    name: str
    function: PythonFunction
    type: DataType

    @property
    def is_aggregate(self) -> bool:
        return self.function.eval_type in GROUP_AGGREGATES

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        arguments = [argument_of(each, scope, walk) for each in node.arguments]
        try:
            return self.invoked(arguments, walk.context)
        except SparkError as error:
            raise walk.located(error, node) from error

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        raise NotNative(f"the function {self.name} returns a value")

    def invoked(self, arguments: list[Argument], context: Context) -> Expression:
        return python_call(self.function, self.type, arguments, False, context)


def argument_of(node: Any, scope: Scope, walk: Walk) -> Argument:
    if isinstance(node, tree.NamedArgument):
        return node.name, walk.read(node.value, scope)
    if isinstance(node, tree.Star):
        raise NotNative("a star as the argument of a Python function")
    return None, walk.read(node, scope)


def register_function(message: Any, session: "Session") -> Callable[[], tuple[bytes, ...]]:
    """spark.udf.register; a name of Spark's own stays Spark's, unless one asks for session.name."""
    function, type = read_python_function(message)
    if message.function_name.lower() in SPARK_FUNCTIONS:
        raise NotNative("a Python function under the name of one of Spark's")
    if isinstance(session.functions.temporary().get(message.function_name.lower()), RegisteredTable):
        raise NotNative("a Python function under the name of a table function")
    if function.eval_type not in SCALARS | GROUP_AGGREGATES:
        raise NotNative(f"a Python function of kind {function.eval_type} under a name")

    def register() -> tuple[bytes, ...]:
        session.functions.put(message.function_name, RegisteredFunction(message.function_name, function, type))
        return ()

    return register


@dataclass(frozen=True)
class RegisteredTable:
    """A Python table function under a name that SQL knows."""

    name: str
    function: PythonFunction
    fields: tuple[Field, ...] | None  # None where its analyze method tells them

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        raise NotNative(f"the function {self.name} returns a table")

    def invoked(self, arguments: list[Argument], context: Context) -> Expression:
        raise NotNative(f"the function {self.name} returns a table")

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        arguments = [given(each, scope, walk) for each in node.arguments]
        try:
            return frame_of(table_call(self.function, self.fields, arguments, walk.context, TEXTS))
        except SparkError as error:
            raise walk.located(error, node) from error


def given(node: Any, scope: Scope, walk: Walk) -> Given:
    """An argument of a table function: a value or a table."""
    if isinstance(node, tree.NamedArgument) and isinstance(node.value, tree.TableArgument):
        return node.name, table_given(node.value, walk)
    return (None, table_given(node, walk)) if isinstance(node, tree.TableArgument) else argument_of(node, scope, walk)


def table_given(node: tree.TableArgument, walk: Walk) -> TableArgument:
    if isinstance(node.relation, tree.Query):
        frame = read_query(node.relation, walk)
    else:
        frame = read_source(tree.Table(node.start, node.stop, node.relation), walk)
    inside = walk.scope(frame)
    partition = tuple(walk.read(each, inside) for each in node.partition)
    ordering = tuple(sort_order(each, inside, walk) for each in node.order)
    return TableArgument(frame, partition, ordering, node.partitioning == "SINGLE")


def register_table_function(message: Any, session: "Session") -> Callable[[], tuple[bytes, ...]]:
    """spark.udtf.register; Spark keeps names of tables and of values apart, so one that is both is Spark's."""
    function, fields = read_table_function(message)
    name = message.function_name
    if name.lower() in SPARK_FUNCTIONS or isinstance(session.functions.temporary().get(name.lower()), OTHERS):
        raise NotNative("a Python table function under the name of another function")

    def register() -> tuple[bytes, ...]:
        session.functions.put(name, RegisteredTable(name, function, fields))
        return ()

    return register


OTHERS = (SqlFunction, RegisteredFunction)
