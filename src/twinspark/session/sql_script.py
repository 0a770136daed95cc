"""SQL scripts: BEGIN … END is carried out statement by statement, with its variables, branches, loops and handlers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.walk import Walk, read_query
from twinspark.session.native import Cursor, Query
from twinspark.session.sql_names import parts_of, quoted
from twinspark.session.sql_results import Answer, answer, table_relation
from twinspark.session.sql_script_checks import READING, check_script
from twinspark.session.sql_script_scopes import CONTINUE, Frames, Handler, Handlers, Scope, fresh_label
from twinspark.session.sql_variables import (
    UNKNOWN,
    Variable,
    assignment,
    computed,
    has_query,
    known,
    one_value,
    rows_of,
)
from twinspark.session.tables_targets import connection_of
from twinspark.session.threads import CANCELLED
from twinspark.session.writes_source import LOCALS
from twinspark.types import BooleanType, StructType

if TYPE_CHECKING:
    from twinspark.session.session import Session

Done = TypeVar("Done")
Node = Any
NO_BOOLEAN = "INVALID_BOOLEAN_STATEMENT"  # Spark tells its line in words of its own


def execute_script(statement: tree.Compound, text: str, context: Context, session: "Session") -> Callable[[], Answer]:
    if context.config.get("spark.sql.scripting.enabled", "true").lower() != "true":
        raise NotNative("spark.sql.scripting.enabled = false")
    check_script(statement, context, session.engine_wanted == "duckdb")
    return Script(text, connection_of(context), session).carried_out(statement)


class Leave(Exception):
    """Out of the block or loop of this label."""

    def __init__(self, label: str) -> None:
        self.label = label


class Iterate(Leave):
    """To the next turn of the loop of this label."""


class Skipped(Exception):
    """A CONTINUE handler took the error of a condition: the branch or loop that asked is left out."""


class Script:
    """One run of a script: what it can see, and the rows of its last query."""

    def __init__(self, text: str, cursor: Cursor, session: "Session") -> None:
        self.text, self.cursor, self.session = text, cursor, session
        self.frames = Frames()
        self.rows: tuple[StructType, pa.Table] | None = None
        self.changed: str | None = None  # the first statement that changed something outside

    def carried_out(self, script: tree.Compound) -> Callable[[], Answer]:
        def carry_out() -> Answer:
            token = LOCALS.set(True)
            try:
                self.compound(script)
            except SparkError as error:
                if error.condition != NO_BOOLEAN:
                    raise
                raise self.too_late(NotNative("SQL: a condition that is none", nearest=error)) from error
            finally:
                LOCALS.reset(token)
            return answer() if self.rows is None else table_relation(*self.rows)

        return carry_out

    # ---- statements

    def step(self, node: Node) -> None:
        check_wanted()
        handler = STEPS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        self.tried(lambda: self.statement(node))

    def steps(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.step(node)

    def compound(self, node: tree.Compound) -> None:
        label = fresh_label() if node.label is None else node.label.lower()
        self.inside(Scope(label, Handlers.of(node.statements, label)), lambda: self.steps(node.statements))

    def inside(self, scope: Scope, run: Callable[[], None]) -> None:
        self.frames.scopes.append(scope)
        frame = self.frames.scopes
        try:
            run()
        except Iterate:
            raise
        except Leave as leave:
            if leave.label != scope.label:
                raise
        finally:
            assert frame is self.frames.scopes
            self.frames.close(scope)

    def declared(self, node: Node) -> None:
        """Handlers and conditions are known since their scope began."""

    def leave(self, node: tree.Leave) -> None:
        raise Leave(node.label.lower())

    def iterate(self, node: tree.Iterate) -> None:
        raise Iterate(node.label.lower())

    def statement(self, node: Node) -> None:
        """A single statement, natively or not at all: what Spark has to do it cannot do here any more, once something
        was changed."""
        context = self.context()
        if isinstance(node, tree.Query):
            self.rows = self.collected(node, context)
        elif isinstance(node, tree.CreateVariable):
            self.declare(node, context)
        elif isinstance(node, tree.SetVariable):
            assignment(node, self.text, context, self.session, self.target(context), self.put)()
        else:
            self.command(node, context)

    def command(self, node: Node, context: Context) -> None:
        from twinspark.session.sql_commands import session_statement

        if isinstance(node, tree.CreateTable | tree.CreateView) and self.frames.has_nested:
            raise NotNative("SQL: columns that may be named after an array's or a struct's variable")
        session_statement(node, self.text, context, self.session)()
        if not isinstance(node, READING):
            self.session.shared.cache.forget_files()
            self.changed = self.changed or self.text[node.start : node.stop]

    def collected(self, query: tree.Query, context: Context) -> tuple[StructType, pa.Table]:
        made = Query.of(read_query(query, Walk(self.text, context)).plain(), context, self.cursor)
        if any(UNKNOWN in name for name in made.plan.schema.names):
            raise NotNative("SQL: a column named after an array's or a struct's variable")
        return made.plan.schema, made.stream().read_all()

    # ---- what a statement sees

    def context(self) -> Context:
        around = replace(self.session.surroundings(), locals=self.frames.values())
        context = around.context(self.cursor)
        context.observed = {}
        return context

    def target(self, context: Context) -> Callable[[Node], Variable]:
        def target_of(node: Node) -> Variable:
            named = isinstance(node, tree.Column | tree.Name)
            parts = node.parts if named else parts_of(node, self.text, context, self.session)
            return self.frames.variable(parts) or self.session_variable(node, context)

        return target_of

    def session_variable(self, node: Node, context: Context) -> Variable:
        found = known(node, self.text, context, self.session)
        if self.session.engine_wanted != "duckdb":
            raise NotNative("SQL: a script that sets a variable of the session, which Spark has to know too")
        return found

    def put(self, variable: Variable) -> None:
        if variable.home[0] == "local":
            self.frames.put(variable)
        else:
            self.session.variables.put(variable)
            self.changed = self.changed or f"SET {variable.name}"

    def declare(self, node: tree.CreateVariable, context: Context) -> None:
        if node.default is not None and has_query(node.default):
            raise NotNative("SQL: a variable whose default is a query")
        walk = Walk(self.text, context)
        made = None if node.default is None else walk.read(node.default, walk.scope(frame_of(OneRow())))
        type = node.type if node.type is not None else made.type if made is not None else None
        if type is None:
            raise NotNative("SQL: a variable without type and default")
        scope = self.frames.scopes[-1]
        names = [self.new_name(name, scope, context) for name in node.names]
        if len(set(names)) < len(names):
            raise NotNative("SQL: a variable declared twice at once")
        value = None if made is None else computed(made, type, context, self.session)
        for name in names:
            scope.variables[name] = Variable(name, type, value, node.default, self.text, ("local", scope.label))

    def new_name(self, node: Node, scope: Scope, context: Context) -> str:
        parts = parts_of(node, self.text, context, self.session)
        if len(parts) > 1:
            raise NotNative("SQL: a variable of a script declared with a qualified name")
        name = parts[0].lower()
        if name in scope.variables:
            raise SparkError("VARIABLE_ALREADY_EXISTS", variableName=quoted((scope.label, name)))
        return name

    # ---- errors

    def tried(self, run: Callable[[], Done], continues: bool = True) -> Done | None:
        """What it gives; None where a CONTINUE handler took its error."""
        try:
            return run()
        except NotNative as why:
            raise self.too_late(why) from why
        except SparkError as error:
            check_wanted()
            handler = self.frames.handler_of(error.condition, error.sqlstate)
            if handler is None:
                raise
            if handler.kind == CONTINUE and not continues:
                raise self.too_late(NotNative("SQL: a CONTINUE handler for the rows of FOR")) from error
            self.handle(handler)
            return None

    def too_late(self, why: NotNative) -> Exception:
        """The whole script goes to Spark, unless something is done already that Spark would do again."""
        if self.changed is None or self.session.engine_wanted == "duckdb":
            return why
        operation = f"a script that only Spark can go on with ({why.reason}) after {self.changed!r}"
        return SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="written", operation=operation)

    def handle(self, handler: Handler) -> None:
        """A way out of the handler's body ends the body only: the handler's own kind says where the script goes on
        (SqlScriptingExecution.getNextStatement)."""
        self.frames.enter(handler)
        try:
            self.step(handler.body)
        except Leave:
            pass
        finally:
            self.frames.leave(handler)
        if handler.kind != CONTINUE:
            raise Leave(handler.label)

    # ---- branches and loops

    def holds(self, node: Node, compare: Callable[[Any], Any] = lambda made: made) -> bool:
        """Whether a condition is true; NULL is not."""
        found = self.tried(lambda: self.truth(node, compare))
        if found is None:
            raise Skipped
        return found

    def truth(self, node: Node, compare: Callable[[Any], Any]) -> bool:
        context = self.context()
        walk = Walk(self.text, context)
        made = compare(walk.read(node, walk.scope(frame_of(OneRow()))))
        if not isinstance(made.type, BooleanType):
            shown = self.text[node.start : node.stop]
            raise SparkError(NO_BOOLEAN, invalidStatement=shown)
        return bool(rows_of(frame_of(OneRow()), [made], context, self.session).column(0)[0].as_py())

    def branch(self, node: tree.IfElse) -> None:
        try:
            body = next((body for condition, body in node.branches if self.holds(condition)), node.otherwise)
        except Skipped:
            return
        self.steps(body)

    def case(self, node: tree.CaseStatement) -> None:
        try:
            compare = (lambda made: made) if node.value is None else self.equal_to(node.value)
            body = next((body for when, body in node.branches if self.holds(when, compare)), node.otherwise)
        except Skipped:
            return
        self.steps(body)

    def equal_to(self, node: Node) -> Callable[[Any], Any]:
        """CASE computes its value once."""
        found = self.tried(lambda: self.value(node))
        if found is None:
            raise Skipped
        context = self.context()
        return lambda made: build.call("==", [found, made], context.settings)

    def value(self, node: Node) -> Any:
        context = self.context()
        walk = Walk(self.text, context)
        made = walk.read(node, walk.scope(frame_of(OneRow())))
        column = rows_of(frame_of(OneRow()), [made], context, self.session).column(0)
        return build.literal(one_value(column, made.type), made.type)

    def turn(self, label: str | None, body: Callable[[], None]) -> bool:
        """One turn of a loop; whether another one may follow."""
        check_wanted()
        try:
            body()
        except Iterate as way:
            if way.label != (label or "").lower():
                raise
        except Leave as way:
            if way.label != (label or "").lower():
                raise
            return False
        return True

    def while_loop(self, node: tree.While) -> None:
        try:
            while self.holds(node.condition):
                if not self.turn(node.label, partial(self.steps, node.body)):
                    return
        except Skipped:
            return

    def repeat(self, node: tree.Repeat) -> None:
        try:
            while self.turn(node.label, partial(self.steps, node.body)):
                if self.holds(node.until):
                    return
        except Skipped:
            return

    def loop(self, node: tree.Loop) -> None:
        while self.turn(node.label, partial(self.steps, node.body)):
            pass

    def for_loop(self, node: tree.For) -> None:
        found = self.tried(lambda: self.collected(node.query, self.context()), continues=False)
        if found is None:
            return
        schema, rows = found
        names = [name.lower() for name in schema.names]
        if len(set(names)) < len(names):
            raise self.too_late(NotNative("SQL: FOR over columns of the same name"))
        for at in range(rows.num_rows):
            scope = self.row(node, schema, rows.slice(at, 1))
            if not self.turn(node.label, partial(self.inside, scope, partial(self.steps, node.body))):
                return

    def row(self, node: tree.For, schema: StructType, row: pa.Table) -> Scope:
        """One turn's scope: the columns are its variables."""
        scope = Scope(fresh_label() if node.variable is None else node.variable.lower())
        for field, column in zip(schema.fields, row.columns, strict=True):
            value = self.kept(column, field.dataType)
            name = field.name.lower()
            scope.variables[name] = Variable(name, field.dataType, value, None, self.text, ("local", scope.label))
        return scope

    def kept(self, column: Any, type: Any) -> Any:
        try:
            return one_value(column, type)
        except NotNative as why:
            raise self.too_late(why) from why


def check_wanted() -> None:
    """A loop may never end by itself."""
    cancelled = CANCELLED.get()
    if cancelled is not None and cancelled.is_set():
        raise SparkError("OPERATION_CANCELED")


STEPS: dict[type, Callable[[Script, Any], None]] = {
    tree.Compound: Script.compound,
    tree.DeclareHandler: Script.declared,
    tree.DeclareCondition: Script.declared,
    tree.Leave: Script.leave,
    tree.Iterate: Script.iterate,
    tree.IfElse: Script.branch,
    tree.CaseStatement: Script.case,
    tree.While: Script.while_loop,
    tree.Repeat: Script.repeat,
    tree.Loop: Script.loop,
    tree.For: Script.for_loop,
}
