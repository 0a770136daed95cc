"""The route table: maps the class of each Connect command, catalog call and SQL statement to its handler.

`connect_commands` registers the commands that need no catalog, `handlers` the others, whose modules import PyIceberg.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.commands.results import Answer, relation_rows
from twinspark.compile.query import Cursor
from twinspark.errors import NotNative, reasons
from twinspark.read.sql import tree
from twinspark.sessions.services import Services

Command = Callable[[], Answer]  # executes a command after its analysis


@dataclass(frozen=True)
class Request:
    """What a handler may use: the operation's context, its session's services, the text of a SQL statement."""

    context: Context
    services: Services
    text: str = ""
    own_cursor: Cursor | None = None

    @property
    def cursor(self) -> Cursor:
        """The operation's cursor; nested statements have none."""
        assert self.own_cursor is not None
        return self.own_cursor


Handler = Callable[[Any, Request], Command]
ROUTES: dict[type, Handler] = {}
# Statements about tables: always executed natively, whichever engine computes their rows.
TABLE_STATEMENTS = frozenset(
    {
        *(tree.CreateTable, tree.CreateTableLike, tree.DropTable, tree.AlterTable, tree.TruncateTable),
        *(tree.Insert, tree.MultiInsert, tree.Delete, tree.Update, tree.Merge, tree.CallProcedure),
    }
)
OLD_NAMES = "spark.sql.legacy.keepCommandOutputSchema"
SHOWN_OTHERWISE = (
    *(tree.ShowNamespaces, tree.ShowTables, tree.ShowTableExtended, tree.ShowTableProperties),
    *(tree.DescribeNamespace, tree.ShowViews),
)


def carry_out(node: Any, request: Request) -> Command:
    """The analyzed command for a statement or message; those without a handler fall back to Spark."""
    handler = ROUTES.get(type(node))
    if handler is None:
        raise NotNative(reasons.SQL_STATEMENT, type(node).__name__)
    return handler(node, request)


def session_statement(statement: tree.Statement, text: str, context: Context, services: Services) -> Command:
    """A SQL statement that is not a query."""
    if type(statement) in ROUTES and isinstance(statement, SHOWN_OTHERWISE) and context.flag(OLD_NAMES):
        raise NotNative(reasons.SETTING_VALUE, f"{OLD_NAMES} = true")
    return carry_out(statement, Request(context, services, text))


# ---- adapters for handlers with fewer parameters


def of_statement(handler: Callable[[Any, str, Context, Services], Command]) -> Handler:
    return lambda node, request: handler(node, request.text, request.context, request.services)


def of_message(handler: Callable[[Any, Context, Services], Command]) -> Handler:
    return lambda message, request: handler(message, request.context, request.services)


def of_rows(schema: StructType, rows: Callable[[Any, Context, Services], Any]) -> Handler:
    """A handler whose result is rows that are computed at execution."""
    return lambda message, request: lambda: relation_rows(schema, rows(message, request.context, request.services))
