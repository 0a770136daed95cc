"""Checks requests against what the operator allows (engines, code, writes, paths) before either engine reads them."""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message
from pyspark.sql.connect.proto import catalog_pb2, commands_pb2, expressions_pb2, relations_pb2

from twinspark.config.entries import entries
from twinspark.errors import NotAllowed
from twinspark.read.sql import ParseError, ParserConfig, parse_expression, parse_multipart_identifier, parse_statement
from twinspark.sessions.access.allowed_paths import AllowedPaths, allowed_paths
from twinspark.sessions.access.statements import FILE_SOURCES, Statements, check_function_option, is_java_call
from twinspark.sessions.settings import Settings

PROTO = "spark.connect."
PYTHON = ("PythonUDF", "PythonUDTF", "PythonDataSource", "StreamingForeachFunction", "StreamingQueryListenerBusCommand")
JAVA = ("JavaUDF", "ScalarScalaUDF", "TypedAggregateExpression", "MlCommand", "MlRelation", "PipelineCommand")
JAVA_COMMANDS = ("ExecuteExternalCommand",)
# Commands whose effects end with the session.
READING_COMMANDS = (
    *("sql_command", "create_dataframe_view", "register_function", "register_table_function", "register_data_source"),
    *("checkpoint_command", "remove_cached_remote_relation_command", "get_resources_command"),
    *("streaming_query_command", "streaming_query_manager_command"),
)
WRITING_CALLS = (
    *("create_database", "drop_database", "create_table", "create_external_table", "drop_table", "drop_view"),
    *("recover_partitions", "truncate_table", "analyze_table"),
)
SOURCES = FILE_SOURCES | {"rate", "noop"}
NAME_FIELDS = ("table_name", "target_table_name", "unparsed_identifier")
SOURCE_FIELDS = ("format", "source", "provider")
PATH_FIELDS = ("path", "paths")
OPTION_FIELDS = ("options", "table_properties", "properties", "write_options")
PATH_OPTIONS = {
    *("path", "paths", "basepath", "location", "checkpointlocation"),
    *("badrecordspath", "avroschemaurl", "rowvalidationxsdpath"),
}
HADOOP_OPTIONS = ("fs.", "dfs.", "hadoop.", "viewfs.", "spark.hadoop.")
CODE_ARTIFACTS = ("jars/", "classes/")
FORWARDED = "forward_to_fs/"  # prefix of an uploaded artifact that Spark writes to a path chosen by the client
DEFAULT_SOURCE = "spark.sql.sources.default"


@dataclass(frozen=True)
class Rights:
    """`python`: functions and sources in Python; `java`: code in other languages; `writes`: any lasting change."""

    python: bool = True
    java: bool = True
    writes: bool = True
    paths: AllowedPaths | None = None

    @classmethod
    def of(cls, settings: Settings, warehouse: str) -> "Rights":
        """Client code can read and write whatever the server can, so by default limits on reads, writes or paths forbid
        it."""
        paths = allowed_paths(settings.allow_paths, warehouse)
        limited = settings.read_only or paths is not None
        python = not limited if settings.python is None else settings.python
        return cls(python, settings.java and not limited, not settings.read_only, paths)

    @property
    def is_limited(self) -> bool:
        return self != Rights()

    def check(self, request: Message, config: Mapping[str, str], views: Container[tuple[str, ...]]) -> None:
        """Raises NotAllowed for a request with a plan that the operator does not allow."""
        checks = self.checks(config, views)
        for message in messages_in(request):
            for check in checks:
                check(message)

    def checks(self, config: Mapping[str, str], views: Container[tuple[str, ...]]) -> list[Callable[[Any], None]]:
        parser = ParserConfig.of(config)
        statements = Statements(self, views, parser)
        chosen: list[Callable[[Any], None]] = [lambda message: check_texts(message, statements, parser)]
        if not self.python:
            chosen.append(check_python)
        if not self.java:
            chosen.append(check_java)
        if not self.writes:
            chosen.append(check_writes)
        if self.paths is not None:
            chosen.append(lambda message: self.check_paths(message, config))
        return chosen

    def check_paths(self, message: Message, config: Mapping[str, str]) -> None:
        for field, value in message.ListFields():
            if field.name in SOURCE_FIELDS and isinstance(value, str):
                check_source(value)
            elif field.name in PATH_FIELDS:
                for path in [value] if isinstance(value, str) else value:
                    self.check_path(path)
            elif field.name in OPTION_FIELDS and hasattr(value, "items"):
                self.check_options(value)
            elif field.name == "string" and isinstance(message, expressions_pb2.Expression.Literal):
                check_function_option(value)
        check_source(config.get(DEFAULT_SOURCE, ""))

    def check_path(self, path: str) -> None:
        if self.paths is not None:
            self.paths.check(path)

    def check_options(self, options: Mapping[str, str]) -> None:
        for key, value in options.items():
            if key.lower().startswith(HADOOP_OPTIONS):
                raise NotAllowed(f"the option {key}, which changes what paths mean (--allow-path)")
            for path in paths_in_option(key, value):
                self.check_path(path)

    def check_setting(self, key: str, value: str) -> None:
        """Keys that Spark does not define reach Hadoop and catalogs, and can change what paths mean."""
        if self.paths is None:
            return
        if key == DEFAULT_SOURCE:
            check_source(value)
        if not key.startswith("twinspark.") and key not in entries():
            raise NotAllowed(f"the setting {key}: only Spark's own settings may be set (--allow-path)")
        if is_path(value):
            self.check_path(value)

    def check_artifact(self, name: str) -> None:
        if name.startswith(FORWARDED) and (not self.writes or self.paths is not None):
            raise NotAllowed("uploads to a path of the server (--read-only, --allow-path)")
        if name.startswith(CODE_ARTIFACTS) and not self.java:
            raise NotAllowed("classes and jars (--no-java, --read-only, --allow-path)")


def messages_in(message: Message) -> Iterator[Any]:
    """The message and all messages in it; without recursion, since plans are deeply nested."""
    waiting = [message]
    while waiting:
        each = waiting.pop()
        yield each
        for field, value in each.ListFields():
            if field.type == field.TYPE_MESSAGE:
                parts = [value] if isinstance(value, Message) else value.values() if hasattr(value, "values") else value
                waiting += [part for part in parts if isinstance(part, Message)]


CALLS = (expressions_pb2.Expression.UnresolvedFunction, expressions_pb2.CallFunction)


def kind_of(message: Message) -> str:
    return str(message.DESCRIPTOR.full_name).removeprefix(PROTO)


def check_python(message: Message) -> None:
    if kind_of(message) in PYTHON:
        raise NotAllowed("functions and data sources in Python (--no-python)")


def check_java(message: Message) -> None:
    kind = kind_of(message)
    if kind in JAVA or kind in JAVA_COMMANDS or kind == "google.protobuf.Any":
        raise NotAllowed(f"{kind}, which runs code in a JVM (--no-java, --read-only, --allow-path)")
    if isinstance(message, CALLS) and is_java_call(message.function_name):
        raise NotAllowed(f"{message.function_name}, which calls Java (--no-java, --read-only, --allow-path)")


def check_writes(message: Message) -> None:
    command = message.WhichOneof("command_type") if isinstance(message, commands_pb2.Command) else None
    if command is not None and command not in READING_COMMANDS:
        raise NotAllowed(f"{command} (--read-only)")
    if isinstance(message, commands_pb2.CheckpointCommand) and not message.local:
        raise NotAllowed("a checkpoint in files (--read-only)")
    if isinstance(message, catalog_pb2.Catalog) and message.WhichOneof("cat_type") in WRITING_CALLS:
        raise NotAllowed(f"{message.WhichOneof('cat_type')} (--read-only)")


def check_texts(message: Message, statements: Statements, parser: ParserConfig) -> None:
    """Checks SQL and names in texts; a text that this server cannot parse is rejected, since an engine might read it
    differently."""
    try:
        if isinstance(message, relations_pb2.SQL):
            statements.check(parse_statement(reject_substitution(message.query), parser))
        elif isinstance(message, commands_pb2.SqlCommand) and message.sql:
            statements.check(parse_statement(reject_substitution(message.sql), parser))
        elif isinstance(message, expressions_pb2.Expression.ExpressionString):
            statements.check(parse_expression(message.expression, parser))
        for name in names_in(message) if statements.rights.paths is not None else ():
            statements.check_name(parse_multipart_identifier(name, parser))
    except ParseError as error:
        raise NotAllowed(f"a text that this server cannot read: {error}") from error


def names_in(message: Message) -> list[str]:
    """Names of tables; Spark reads `format`.`path` wherever it resolves one, in calls of the catalog too."""
    return [value for field, value in message.ListFields() if field.name in NAME_FIELDS and isinstance(value, str)]


def reject_substitution(text: str) -> str:
    if "${" in text:
        raise NotAllowed("variables in the text of a statement")
    return text


def check_source(name: str) -> None:
    if name and name.lower() not in SOURCES:
        raise NotAllowed(f"the data source {name}, whose paths are not known (--allow-path)")


def paths_in_option(key: str, value: str) -> list[str]:
    """Each path of a JSON list of paths; of another option its value, if it looks like a path."""
    if key.lower() == "paths":
        return [each.strip().strip('"').replace("\\/", "/") for each in value.strip("[] ").split(",")]
    return [value] if key.lower() in PATH_OPTIONS or is_path(value) else []


def is_path(value: str) -> bool:
    return len(value) > 1 and (value.startswith("/") or ":/" in value)
