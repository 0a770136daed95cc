"""A session's Python functions: those it registered, the workers that run them, and the files they see."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.python_calls import Argument, python_call, table_call
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
from twinspark.read.proto.python_tables import read_table_function
from twinspark.read.sql import tree
from twinspark.read.walk import Walk
from twinspark.session.sql_functions import SqlFunction
from twinspark.types import DataType

if TYPE_CHECKING:
    from twinspark.session.artifacts import Artifacts
    from twinspark.session.session import Session

ON_THE_PATH, BESIDE = "pyfiles/", "files/"


@dataclass(frozen=True)
class PythonWorkers(SessionWorkers):
    """What a plan holds of a session."""

    @property
    def own(self) -> "PythonWorkers":
        return self


class Pythons:
    """The workers of a session and their directory, which holds what the client uploaded."""

    def __init__(self, artifacts: "Artifacts") -> None:
        self.pool = Pool()
        self._artifacts = artifacts
        self._lock = threading.Lock()

    def workers(self, config: Mapping[str, str]) -> PythonWorkers:
        return PythonWorkers(self.pool, config, self._place)

    def close(self) -> None:
        self.pool.close()

    def _place(self) -> Place:
        """Files are found by their names in one directory, as on a Spark executor (SparkFiles)."""
        with self._lock:
            directory = self._artifacts.directory / "workers"
            directory.mkdir(exist_ok=True)
            paths = self._artifacts.paths()
            if any(name.startswith("archives/") for name in paths):
                raise NotNative("uploaded archives are unpacked by Spark")
            for name, path in paths.items():
                if name.startswith((ON_THE_PATH, BESIDE)):
                    link(directory / Path(name).name, path)
            includes = tuple(Path(name).name for name in paths if name.startswith(ON_THE_PATH))
            return Place(str(directory), includes)


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
    fields: tuple[Field, ...]

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        raise NotNative(f"the function {self.name} returns a table")

    def invoked(self, arguments: list[Argument], context: Context) -> Expression:
        raise NotNative(f"the function {self.name} returns a table")

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        arguments = [argument_of(each, scope, walk) for each in node.arguments]
        try:
            return frame_of(table_call(self.function, self.fields, arguments, walk.context))
        except SparkError as error:
            raise walk.located(error, node) from error


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
