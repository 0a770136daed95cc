"""Determines what a SQL statement changes beside rows: session state, Spark's catalog, and the names it defines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any

from pyspark.sql.connect.proto import base_pb2, commands_pb2

from twinspark.errors import NotNative
from twinspark.read.sql import ParseError, ParserConfig, leading_kinds, parse_statement, tree
from twinspark.read.sql.parse_cache import MOST_CHARACTERS
from twinspark.read.sql.statement_heads import Head, parse_head


class Effect(Flag):
    NONE = 0
    READS = auto()  # only reads: may be sent to a second Spark
    SESSION = auto()  # changes state that ends with the session: the journal replays it
    TABLES = auto()  # may create tables in Spark's own catalog
    ROWS = auto()  # may write rows: takes long, and cached file contents become stale
    SETTINGS = auto()
    NAMESPACE = auto()  # changes the current catalog or database
    VARIABLES = auto()  # sets variables that it does not declare


@dataclass(frozen=True, slots=True)
class Definition:
    """A view, table, function or variable that a statement creates, alters or drops."""

    verb: str
    kind: str
    name: tuple[str, ...]
    is_temporary: bool = False
    is_global: bool = False

    @property
    def view(self) -> tuple[str, bool]:
        """The name of a temporary view, and whether it is a global one."""
        return self.name[-1], self.is_global or (len(self.name) == 2 and self.name[0].lower() == "global_temp")


@dataclass(frozen=True, slots=True)
class SqlEffects:
    effect: Effect = Effect.NONE
    definitions: tuple[Definition, ...] = ()

    def defines(self, verb: str, *kinds: str) -> list[Definition]:
        return [each for each in self.definitions if each.verb == verb and each.kind in kinds]


# ---------------------------------------------------------------- effects from the syntax tree
READS, SESSION, TABLES, ROWS = Effect.READS, Effect.SESSION, Effect.TABLES, Effect.ROWS
EFFECTS: dict[type[tree.Node], Effect] = {
    tree.Query: READS,
    tree.Explain: READS,
    tree.ShowNamespaces: READS,
    tree.ShowTables: READS,
    tree.ShowTableExtended: READS,
    tree.ShowTableProperties: READS,
    tree.ShowColumns: READS,
    tree.ShowViews: READS,
    tree.ShowPartitions: READS,
    tree.ShowFunctions: READS,
    tree.ShowProcedures: READS,
    tree.ShowCreateTable: READS,
    tree.ShowCurrentNamespace: READS,
    tree.ShowCatalogs: READS,
    tree.ShowCollations: READS,
    tree.DescribeFunction: READS,
    tree.DescribeProcedure: READS,
    tree.DescribeNamespace: READS,
    tree.DescribeTable: READS,
    tree.DescribeQuery: READS,
    tree.Insert: ROWS,
    tree.MultiInsert: ROWS,
    tree.Delete: ROWS,
    tree.Update: ROWS,
    tree.Merge: ROWS,
    tree.TruncateTable: ROWS,
    tree.CallProcedure: ROWS,
    tree.LoadData: TABLES,
    tree.CreateNamespace: TABLES | ROWS,
    tree.AlterNamespace: TABLES | ROWS,
    tree.CreateTable: TABLES | ROWS,
    tree.CreateTableLike: TABLES | ROWS,
    tree.CreateMetricView: TABLES | ROWS,
    tree.CreateIndex: TABLES | ROWS,
    tree.CreatePipelineDataset: TABLES | ROWS,
    tree.CreateFlow: TABLES | ROWS,
    tree.AlterTable: TABLES | ROWS,
    tree.AlterViewQuery: SESSION | TABLES | ROWS,
    tree.AlterViewBinding: SESSION | TABLES | ROWS,
    tree.CreateView: TABLES | ROWS,
    tree.CreateTemporaryViewUsing: SESSION | ROWS,
    tree.CreateFunction: TABLES | ROWS,
    tree.CreateSqlFunction: TABLES | ROWS,
    tree.DropView: SESSION,
    tree.DropVariable: SESSION,
    tree.CreateVariable: SESSION,
    tree.DeclareCursor: SESSION,
    tree.CacheTable: SESSION,
    tree.UncacheTable: SESSION,
    tree.ClearCache: SESSION,
    tree.SetConfiguration: SESSION | Effect.SETTINGS,
    tree.SetTimeZone: SESSION | Effect.SETTINGS,
    tree.SetPath: SESSION | Effect.SETTINGS,
    tree.ResetConfiguration: SESSION | Effect.SETTINGS,
    tree.SetCatalog: SESSION | Effect.SETTINGS | Effect.NAMESPACE,
    tree.UseNamespace: SESSION | Effect.NAMESPACE,
    tree.SetVariable: SESSION | Effect.VARIABLES,
    tree.ExecuteImmediate: TABLES | Effect.VARIABLES,
    tree.Compound: TABLES | ROWS | Effect.VARIABLES,
}


def effects_of(statement: Any) -> SqlEffects:
    effect = EFFECTS.get(type(statement), Effect.NONE)
    if getattr(statement, "temporary", False):
        effect = effect & ~TABLES | SESSION
    elif changes_session(statement):
        effect |= SESSION
    define = DEFINITIONS.get(type(statement))
    return SqlEffects(effect, tuple(define(statement)) if define is not None else ())


def changes_session(statement: Any) -> bool:
    """ALTER VIEW, where the view may be temporary, and ADD JAR, FILE or ARCHIVE."""
    if isinstance(statement, tree.AlterTable):
        return statement.is_view
    return isinstance(statement, tree.ManageResource) and statement.operation.upper() == "ADD"


def definition(verb: str, kind: str) -> Callable[[Any], list[Definition]]:
    """What a statement with a name defines; names computed by IDENTIFIER(…) are unknown here."""

    def define(statement: Any) -> list[Definition]:
        if not isinstance(statement.name, tree.Name):
            return []
        temporary, is_global = getattr(statement, "temporary", False), getattr(statement, "is_global", False)
        return [Definition(verb, kind, statement.name.parts, temporary, is_global)]

    return define


def created_variables(statement: tree.CreateVariable) -> list[Definition]:
    names = [name.parts for name in statement.names if isinstance(name, tree.Name)]
    return [Definition("CREATE", "VARIABLE", parts) for parts in names]


def created_view(statement: tree.CreateTemporaryViewUsing) -> list[Definition]:
    return [Definition("CREATE", "VIEW", statement.name.parts, True, statement.is_global)]


def altered_views(statement: tree.AlterTable) -> list[Definition]:
    """The view, and its new name if it is renamed."""
    renamed = [statement.change.to] if isinstance(statement.change, tree.RenameTable) else []
    names = [name for name in (statement.name, *renamed) if isinstance(name, tree.Name)]
    return [Definition("ALTER", "VIEW", name.parts) for name in names] if statement.is_view else []


DEFINITIONS: dict[type[tree.Node], Callable[[Any], list[Definition]]] = {
    tree.CreateView: definition("CREATE", "VIEW"),
    tree.CreateTemporaryViewUsing: created_view,
    tree.CreateFunction: definition("CREATE", "FUNCTION"),
    tree.CreateSqlFunction: definition("CREATE", "FUNCTION"),
    tree.CreateVariable: created_variables,
    tree.AlterTable: altered_views,
    tree.AlterViewQuery: definition("ALTER", "VIEW"),
    tree.AlterViewBinding: definition("ALTER", "VIEW"),
    tree.DropView: definition("DROP", "VIEW"),
    tree.DropTable: definition("DROP", "TABLE"),
    tree.DropFunction: definition("DROP", "FUNCTION"),
}


# ---------------------------------------------------------------- effects from the text
ALWAYS_QUERIES = frozenset({"SELECT", "VALUES", "TABLE", "MAP", "REDUCE", "("})


def effects_of_text(text: str, settings: Mapping[str, str]) -> SqlEffects:
    """Uses the syntax tree, which is parsed once and shared. Texts that can only be queries are not parsed for this,
    and
    neither are texts so long that their trees are not cached."""
    if leading_kinds(text, 1)[0] in ALWAYS_QUERIES:
        return SqlEffects(READS)
    config = ParserConfig.of(settings)
    try:
        statement = parse_statement(text, config) if len(text) <= MOST_CHARACTERS else None
    except (ParseError, NotNative):
        statement = None
    return effects_of_head(parse_head(text, config)) if statement is None else effects_of(statement)


# Statements that this parser does not parse, such as those of Spark extensions, by their first keywords.
KEYWORD_EFFECTS = {
    **dict.fromkeys(("SHOW", "DESC", "DESCRIBE", "EXPLAIN"), READS),
    **dict.fromkeys(("WITH", "FROM"), ROWS),
    **dict.fromkeys(("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CALL"), ROWS),
    **dict.fromkeys(("CREATE", "REPLACE", "ALTER"), TABLES | ROWS),
    **dict.fromkeys(("IMPORT", "LOAD"), TABLES),
    "BEGIN": TABLES | ROWS | Effect.VARIABLES,
    "EXECUTE": TABLES | Effect.VARIABLES,
    **dict.fromkeys(("CACHE", "UNCACHE", "CLEAR", "DECLARE", "ADD"), SESSION),
    "SET": SESSION | Effect.SETTINGS,
    "SET CATALOG": SESSION | Effect.SETTINGS | Effect.NAMESPACE,
    "SET VARIABLE": SESSION | Effect.VARIABLES,
    "SET VAR": SESSION | Effect.VARIABLES,
    "RESET": SESSION | Effect.SETTINGS,
    "USE": SESSION | Effect.NAMESPACE,
}


def effects_of_head(head: Head) -> SqlEffects:
    first, last = head.keywords[:1], head.keywords[-1:]
    effect = KEYWORD_EFFECTS.get(" ".join(head.keywords[:2])) or KEYWORD_EFFECTS.get("".join(first), Effect.NONE)
    is_temporary, is_global = "TEMPORARY" in head.keywords, "GLOBAL" in head.keywords
    if is_temporary:
        effect = effect & ~TABLES | SESSION
    elif first in (("ALTER",), ("DROP",)) and last == ("VIEW",):
        effect |= SESSION
    kind = "VARIABLE" if first == ("DECLARE",) else "".join(last)
    verb = "CREATE" if first == ("DECLARE",) else "".join(first)
    made = tuple(Definition(verb, kind, name, is_temporary, is_global) for name in head.names)
    return SqlEffects(effect, made)


# ---------------------------------------------------------------- the text of a plan
def sql_text(command: commands_pb2.SqlCommand) -> str:
    """Spark 4 clients send a relation; Spark 3.5 clients send the text itself."""
    if not command.HasField("input"):
        return str(command.sql)
    under_frames = command.input.WhichOneof("rel_type") == "with_relations"
    return str(command.input.with_relations.root.sql.query if under_frames else command.input.sql.query)


def text_of_plan(plan: base_pb2.Plan) -> str:
    """The SQL text of a command, or of a relation that consists of SQL only; empty for other plans."""
    if plan.WhichOneof("op_type") == "command":
        is_sql = plan.command.WhichOneof("command_type") == "sql_command"
        return sql_text(plan.command.sql_command) if is_sql else ""
    return str(plan.root.sql.query) if plan.root.WhichOneof("rel_type") == "sql" else ""
