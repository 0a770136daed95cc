"""Checks SQL statements against what the operator allows: every node of the syntax tree is visited."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

from twinspark.errors import NotAllowed
from twinspark.read.sql import ParserConfig, parse_multipart_identifier, tree
from twinspark.sessions.access.allowed_paths import AllowedPaths

JAVA_CALLS = ("java_method", "reflect", "try_reflect")
FILE_SOURCES = {"parquet", "csv", "json", "text", "orc", "avro", "xml", "binaryfile", "delta", "iceberg"}
# Statements whose effects end with the session.
READING: tuple[type, ...] = (
    *(tree.Query, tree.SetConfiguration, tree.ResetConfiguration, tree.SetTimeZone),
    *(tree.SetPath, tree.SetVariable, tree.Explain, tree.ShowNamespaces),
    *(tree.ShowTables, tree.ShowTableExtended, tree.ShowTableProperties, tree.ShowColumns),
    *(tree.ShowViews, tree.ShowPartitions, tree.ShowFunctions, tree.ShowProcedures),
    *(tree.ShowCreateTable, tree.ShowCurrentNamespace, tree.ShowCatalogs, tree.ShowCollations),
    *(tree.DescribeFunction, tree.DescribeProcedure, tree.DescribeNamespace, tree.DescribeTable),
    *(tree.DescribeQuery, tree.Refresh, tree.CacheTable, tree.UncacheTable),
    *(tree.ClearCache, tree.DeclareCursor, tree.OpenCursor, tree.FetchCursor),
    *(tree.CloseCursor, tree.UseNamespace, tree.SetCatalog, tree.CreateTemporaryViewUsing),
    *(tree.CreateVariable, tree.DropVariable, tree.Compound, tree.DeclareCondition),
    *(tree.DeclareHandler, tree.IfElse, tree.CaseStatement, tree.While),
    *(tree.Repeat, tree.Loop, tree.For, tree.Leave),
    *(tree.Iterate,),
)
TEMPORARY = (tree.CreateView, tree.CreateSqlFunction, tree.DropFunction)


class Rights(Protocol):
    """What the operator allows (rights.Rights)."""

    @property
    def python(self) -> bool: ...
    @property
    def java(self) -> bool: ...
    @property
    def writes(self) -> bool: ...
    @property
    def paths(self) -> AllowedPaths | None: ...
    def check_setting(self, key: str, value: str) -> None: ...
    def check_path(self, path: str) -> None: ...
    def check_options(self, options: Any) -> None: ...


class Statements:
    """Checks syntax trees against the server's rights; `views` are the temporary views of the session."""

    def __init__(self, rights: Rights, views: Container[tuple[str, ...]], parser: ParserConfig) -> None:
        self.rights = rights
        self.views = views
        self.parser = parser

    def check(self, root: Any) -> None:
        for node in nodes_in(root):
            self.check_node(node)

    def check_node(self, node: Any) -> None:
        if isinstance(node, tree.ExecuteImmediate):
            raise NotAllowed("EXECUTE IMMEDIATE: its text is not known yet")
        if not self.rights.writes and isinstance(node, tree.Statement):
            self.check_reading(node)
        if isinstance(node, tree.SetConfiguration) and node.key is not None and node.value is not None:
            self.rights.check_setting(node.key, node.value)
        if not self.rights.python and isinstance(node, tree.Transform):
            raise NotAllowed("TRANSFORM, which runs a program (--no-python)")
        if not self.rights.java:
            self.check_code(node)
        if self.rights.paths is not None:
            self.check_paths(node)

    # ---- --read-only

    def check_reading(self, node: Any) -> None:
        if isinstance(node, READING):
            return
        if isinstance(node, TEMPORARY) and node.temporary:
            return
        if isinstance(node, tree.DropView) and self.is_temporary(node.name):
            return
        raise NotAllowed(f"{type(node).__name__} (--read-only)")

    def is_temporary(self, name: Any) -> bool:
        parts = getattr(name, "parts", None)
        return parts is not None and tuple(part.lower() for part in parts) in self.views

    # ---- code

    def check_code(self, node: Any) -> None:
        if isinstance(node, tree.Transform):
            raise NotAllowed("TRANSFORM, which runs a program (--no-java, --read-only, --allow-path)")
        if isinstance(node, tree.CreateFunction):
            raise NotAllowed("a function of a Java class (--no-java, --read-only, --allow-path)")
        if isinstance(node, tree.Function | tree.TableFunction) and is_java_call(self.parts(node.name)[-1]):
            raise NotAllowed("calls of Java methods (--no-java, --read-only, --allow-path)")

    def parts(self, name: Any) -> tuple[str, ...]:
        """The parts of a name; a computed name must be a literal."""
        if isinstance(name, tree.Name):
            return name.parts
        if isinstance(name.expression, tree.StringLiteral):
            return parse_multipart_identifier(name.expression.value, self.parser)
        raise NotAllowed("IDENTIFIER with an argument that is no literal")

    # ---- --allow-path

    def check_paths(self, node: Any) -> None:
        if isinstance(node, tree.Name | tree.IdentifierClause):
            self.check_name(self.parts(node))
        if isinstance(node, tree.StringLiteral):
            check_function_option(node.value)
        if isinstance(node, UNDECIDED):
            raise NotAllowed(f"{type(node).__name__}: its paths are not known (--allow-path)")
        for path in paths_of(node):
            self.rights.check_path(path)
        for options in options_of(node):
            self.rights.check_options(options)
        provider = getattr(node, "provider", None)
        if isinstance(provider, tree.Name):
            self.check_provider(provider.parts)

    def check_provider(self, parts: Sequence[str]) -> None:
        if ".".join(parts).lower() not in FILE_SOURCES:
            raise NotAllowed(f"the data source {'.'.join(parts)}, whose paths are not known (--allow-path)")

    def check_name(self, parts: Sequence[str]) -> None:
        """`format`.`path` is read as files (ResolveSQLOnFile), a relative path from where the server runs."""
        if self.rights.paths is None or len(parts) != 2:
            return
        if parts[0].lower() in FILE_SOURCES or "/" in parts[1] or ":" in parts[1]:
            self.rights.check_path(parts[1])


UNDECIDED = (tree.CreateFunction, tree.CreateMetricView, tree.CreatePipelineDataset, tree.CreateFlow, tree.Transform)


# Options of from_avro and from_xml that name a file; their values may be computed.
FUNCTION_PATH_OPTIONS = ("avroschemaurl", "rowvalidationxsdpath")


def check_function_option(text: str) -> None:
    if text.lower() in FUNCTION_PATH_OPTIONS:
        raise NotAllowed(f"the option {text} of a function, whose path is not known (--allow-path)")


def is_java_call(name: str) -> bool:
    return name.rpartition(".")[2].strip("`").lower() in JAVA_CALLS


def paths_of(node: Any) -> Iterator[str]:
    """Paths that the statement itself names, outside of options."""
    if isinstance(node, tree.TableClauses | tree.SetLocation | tree.CreateNamespace) and node.location is not None:
        yield node.location
    elif isinstance(node, tree.AlterNamespace) and node.change == "LOCATION":
        yield node.value
    elif isinstance(node, tree.DirectoryTarget | tree.LoadData) and node.path is not None:
        yield node.path
    elif isinstance(node, tree.AddPartitions):
        yield from (place for _, place in node.partitions if place is not None)
    elif isinstance(node, tree.ManageResource) and node.operation.upper() == "ADD":
        yield from resource_paths(node.rest)
    elif isinstance(node, tree.Refresh) and isinstance(node.name, str):
        yield node.name
    elif isinstance(node, tree.CallProcedure):
        yield from argument_paths(node)


def resource_paths(rest: str) -> list[str]:
    """One path, quoted or not, or several quoted ones."""
    text = rest.strip()
    return [each.strip("'\"") for each in text.split()] if text[:1] in ("'", '"') else [text]


def argument_paths(call: Any) -> Iterator[str]:
    """Arguments of a procedure that look like paths; raises NotAllowed for a computed argument."""
    for argument in call.arguments:
        value = argument.value if isinstance(argument, tree.NamedArgument) else argument
        if isinstance(value, tree.Function) or any(isinstance(each, tree.Function) for each in nodes_in(value)):
            if any("/" in each.value for each in nodes_in(value) if isinstance(each, tree.StringLiteral)):
                raise NotAllowed("CALL with a computed argument (--allow-path)")
        elif isinstance(value, tree.StringLiteral) and "/" in value.value:
            yield value.value


def options_of(node: Any) -> Iterator[dict[str, str]]:
    for name in ("options", "properties"):
        given = getattr(node, name, None)
        if isinstance(given, tuple):
            pairs = [each for each in given if isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str)]
            yield {key: literal_text(value) for key, value in pairs}


def literal_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, tree.StringLiteral):
        return value.value
    if any(isinstance(each, tree.Function) for each in nodes_in(value)):
        raise NotAllowed("an option that is computed (--allow-path)")
    return str(getattr(value, "text", ""))


def nodes_in(root: Any) -> Iterator[Any]:
    """Every node of a syntax tree, without recursion."""
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple | list):
            waiting += each
        elif isinstance(each, tree.Node) or (is_dataclass(each) and not isinstance(each, type)):
            yield each
            waiting += [getattr(each, field.name) for field in fields(each)]
