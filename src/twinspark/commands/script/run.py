"""Executes SQL scripts: BEGIN … END with variables, branches, loops and handlers, statement by statement."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import frame_of
from twinspark.cancellation import check_wanted
from twinspark.commands.ddl.targets import connection_of
from twinspark.commands.dispatch import session_statement
from twinspark.commands.names import parts_of, quoted
from twinspark.commands.results import Answer, answer, table_relation
from twinspark.commands.script.checks import READING, check_script
from twinspark.commands.script.scopes import CONTINUE, Frames, Handler, Handlers, Scope, fresh_label
from twinspark.commands.script.variables import assignment, evaluate, find_variable, has_query, one_value, rows_of
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.walk import Walk, read_query
from twinspark.sessions.services import Services
from twinspark.sessions.variables import UNKNOWN, Variable
from twinspark.types import BooleanType, StructType

Done = TypeVar("Done")
Node = Any
NO_BOOLEAN = "INVALID_BOOLEAN_STATEMENT"  # Spark reports its line in a text of its own


def execute_script(statement: tree.Compound, text: str, context: Context, services: Services) -> Callable[[], Answer]:
    if not context.flag("spark.sql.scripting.enabled"):
        raise NotNative(reasons.SETTING_VALUE, "spark.sql.scripting.enabled = false")
    check_script(statement, context, services.engine_wanted == "duckdb")
    return Script(text, connection_of(context), services).as_command(statement)


class Leave(Exception):
    """LEAVE: ends the block or loop of this label."""

    def __init__(self, label: str) -> None:
        self.label = label


class Iterate(Leave):
    """ITERATE: continues with the next iteration of the loop of this label."""


class Skipped(Exception):
    """A CONTINUE handler handled the error of a condition: the branch or loop with that condition is skipped."""


class Script:
    """One execution of a script: its scopes, and the rows of its last query."""

    def __init__(self, text: str, cursor: Cursor, services: Services) -> None:
        self.text, self.cursor, self.services = text, cursor, services
        self.frames = Frames()
        self.rows: tuple[StructType, pa.Table] | None = None
        self.changed: str | None = None  # the first statement that had an effect outside of the script

    def as_command(self, script: tree.Compound) -> Callable[[], Answer]:
        def carry_out() -> Answer:
            try:
                self.compound(script)
            except SparkError as error:
                if error.condition != NO_BOOLEAN:
                    raise
                raise self.too_late(
                    NotNative(
                        reasons.ERROR_MESSAGE,
                        "the condition of a script statement is not a boolean",
                        likely_error=error,
                    )
                ) from error
            return answer() if self.rows is None else table_relation(*self.rows)

        return carry_out

    # ---- statements

    def step(self, node: Node) -> None:
        check_wanted()
        handler = STEPS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        self.attempt(lambda: self.statement(node))

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

    def skip_declaration(self, node: Node) -> None:
        """Does nothing: handlers and conditions are declared when their scope begins."""

    def leave(self, node: tree.Leave) -> None:
        raise Leave(node.label.lower())

    def iterate(self, node: tree.Iterate) -> None:
        raise Iterate(node.label.lower())

    def statement(self, node: Node) -> None:
        """Executes a single statement natively; falling back to Spark is impossible once a statement has had an
        effect."""
        context = self.context()
        if isinstance(node, tree.Query):
            self.rows = self.collect(node, context)
        elif isinstance(node, tree.CreateVariable):
            self.declare(node, context)
        elif isinstance(node, tree.SetVariable):
            assignment(node, self.text, context, self.services, self.target(context), self.put)()
        else:
            self.command(node, context)

    def command(self, node: Node, context: Context) -> None:
        if isinstance(node, tree.CreateTable | tree.CreateView) and self.frames.has_nested:
            raise NotNative(reasons.SCRIPT, "columns may have the name of a variable that is an array or a struct")
        session_statement(node, self.text, context, self.services)()
        if not isinstance(node, READING):
            self.services.cache.forget_files()
            self.changed = self.changed or self.text[node.start : node.stop]

    def collect(self, query: tree.Query, context: Context) -> tuple[StructType, pa.Table]:
        made = CompiledQuery.of(read_query(query, Walk(self.text, context)).plain(), context, self.cursor)
        if any(UNKNOWN in name for name in made.plan.schema.names):
            raise NotNative(reasons.SCRIPT, "a column has the name of a variable that is an array or a struct")
        return made.plan.schema, made.stream().read_all()

    # ---- the context of a statement

    def context(self) -> Context:
        around = replace(self.services.surroundings(), locals=self.frames.values())
        context = around.context(self.cursor)
        context.observed, context.is_script = {}, True
        return context

    def target(self, context: Context) -> Callable[[Node], Variable]:
        def target_of(node: Node) -> Variable:
            named = isinstance(node, tree.Column | tree.Name)
            parts = node.parts if named else parts_of(node, self.text, context, self.services)
            return self.frames.variable(parts) or self.session_variable(node, context)

        return target_of

    def session_variable(self, node: Node, context: Context) -> Variable:
        found = find_variable(node, self.text, context, self.services)
        if self.services.engine_wanted != "duckdb":
            raise NotNative(
                reasons.SCRIPT, "the script sets a variable of the session, and Spark needs that change too"
            )
        return found

    def put(self, variable: Variable) -> None:
        if variable.home[0] == "local":
            self.frames.put(variable)
        else:
            self.services.variables.put(variable)
            self.changed = self.changed or f"SET {variable.name}"

    def declare(self, node: tree.CreateVariable, context: Context) -> None:
        if node.default is not None and has_query(node.default):
            raise NotNative(reasons.SQL_VARIABLE, "the default value is a query")
        walk = Walk(self.text, context)
        made = None if node.default is None else walk.read(node.default, walk.scope(frame_of(OneRow())))
        type = node.type if node.type is not None else made.type if made is not None else None
        if type is None:
            raise NotNative(reasons.SQL_VARIABLE, "neither type nor default value")
        scope = self.frames.scopes[-1]
        names = [self.new_name(name, scope, context) for name in node.names]
        if len(set(names)) < len(names):
            raise NotNative(reasons.SQL_VARIABLE, "one DECLARE names a variable twice")
        value = None if made is None else evaluate(made, type, context, self.services)
        for name in names:
            scope.variables[name] = Variable(name, type, value, node.default, self.text, ("local", scope.label))

    def new_name(self, node: Node, scope: Scope, context: Context) -> str:
        parts = parts_of(node, self.text, context, self.services)
        if len(parts) > 1:
            raise NotNative(reasons.SQL_VARIABLE, "DECLARE with a qualified name inside a script")
        name = parts[0].lower()
        if name in scope.variables:
            raise SparkError("VARIABLE_ALREADY_EXISTS", variableName=quoted((scope.label, name)))
        return name

    # ---- errors

    def attempt(self, run: Callable[[], Done], continues: bool = True) -> Done | None:
        """The result of `run`; None if a CONTINUE handler handled its error."""
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
                raise self.too_late(
                    NotNative(reasons.SCRIPT, "a CONTINUE handler for an error in the query of FOR")
                ) from error
            self.handle(handler)
            return None

    def too_late(self, why: NotNative) -> Exception:
        """The whole script falls back to Spark, unless a statement has had an effect that Spark would repeat."""
        if self.changed is None or self.services.engine_wanted == "duckdb":
            return why
        operation = f"a script that only Spark can continue ({why}) after {self.changed!r}"
        return SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="written", operation=operation)

    def handle(self, handler: Handler) -> None:
        """LEAVE or ITERATE out of the handler's body ends the body only: the handler's own kind determines where the
        script
        continues (SqlScriptingExecution.getNextStatement)."""
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
        found = self.attempt(lambda: self.truth(node, compare))
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
        return bool(rows_of(frame_of(OneRow()), [made], context, self.services).column(0)[0].as_py())

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
        """CASE evaluates its value once."""
        found = self.attempt(lambda: self.value(node))
        if found is None:
            raise Skipped
        context = self.context()
        return lambda made: build.call("==", [found, made], context.settings)

    def value(self, node: Node) -> Any:
        context = self.context()
        walk = Walk(self.text, context)
        made = walk.read(node, walk.scope(frame_of(OneRow())))
        column = rows_of(frame_of(OneRow()), [made], context, self.services).column(0)
        return build.literal(one_value(column, made.type), made.type)

    def iteration(self, label: str | None, body: Callable[[], None]) -> bool:
        """One iteration of a loop; returns whether another one may follow."""
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
                if not self.iteration(node.label, partial(self.steps, node.body)):
                    return
        except Skipped:
            return

    def repeat(self, node: tree.Repeat) -> None:
        try:
            while self.iteration(node.label, partial(self.steps, node.body)):
                if self.holds(node.until):
                    return
        except Skipped:
            return

    def loop(self, node: tree.Loop) -> None:
        while self.iteration(node.label, partial(self.steps, node.body)):
            pass

    def for_loop(self, node: tree.For) -> None:
        found = self.attempt(lambda: self.collect(node.query, self.context()), continues=False)
        if found is None:
            return
        schema, rows = found
        names = [name.lower() for name in schema.names]
        if len(set(names)) < len(names):
            raise self.too_late(NotNative(reasons.SCRIPT, "FOR over columns with the same name"))
        for at in range(rows.num_rows):
            scope = self.row(node, schema, rows.slice(at, 1))
            if not self.iteration(node.label, partial(self.inside, scope, partial(self.steps, node.body))):
                return

    def row(self, node: tree.For, schema: StructType, row: pa.Table) -> Scope:
        """The scope of one iteration: the row's columns are its variables."""
        scope = Scope(fresh_label() if node.variable is None else node.variable.lower())
        for field, column in zip(schema.fields, row.columns, strict=True):
            value = self.variable_value(column, field.dataType)
            name = field.name.lower()
            scope.variables[name] = Variable(name, field.dataType, value, None, self.text, ("local", scope.label))
        return scope

    def variable_value(self, column: Any, type: Any) -> Any:
        try:
            return one_value(column, type)
        except NotNative as why:
            raise self.too_late(why) from why


STEPS: dict[type, Callable[[Script, Any], None]] = {
    tree.Compound: Script.compound,
    tree.DeclareHandler: Script.skip_declaration,
    tree.DeclareCondition: Script.skip_declaration,
    tree.Leave: Script.leave,
    tree.Iterate: Script.iterate,
    tree.IfElse: Script.branch,
    tree.CaseStatement: Script.case,
    tree.While: Script.while_loop,
    tree.Repeat: Script.repeat,
    tree.Loop: Script.loop,
    tree.For: Script.for_loop,
}
