"""Checks whether a SQL script can run natively: it is well-formed, and its statements have no effects that Spark
needs."""

import re
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.dispatch import TABLE_STATEMENTS
from twinspark.errors import NotNative, error_conditions, reasons
from twinspark.functions.notation.registry import SPARK, overloads
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes

DECLARATIONS = (tree.CreateVariable, tree.DeclareCondition, tree.DeclareHandler)
FORBIDDEN = re.compile("builtin|session|sys.*")  # not allowed for labels and for variables of FOR
READING = (
    tree.Query,
    tree.ShowTables,
    tree.ShowViews,
    tree.ShowColumns,
    tree.ShowTableProperties,
    tree.ShowPartitions,
    tree.DescribeTable,
    tree.DescribeQuery,
)
VARIABLES = (tree.CreateVariable, tree.SetVariable)
LOOPS = (tree.While, tree.Repeat, tree.Loop, tree.For)
Bodies = Iterator[Sequence[Any]]


def check_script(script: tree.Compound, context: Context, may_change_session: bool) -> None:
    """An invalid script falls back to Spark for its error; a change of session state must reach Spark as well."""
    if context.flag("spark.sql.caseSensitive"):
        raise NotNative(reasons.SETTING_VALUE, "spark.sql.caseSensitive = true in a SQL script")
    check_compound(script, Surroundings(context, may_change_session))
    if not may_change_session:
        check_functions(script)


def check_functions(script: tree.Compound) -> None:
    """A script with functions that run on Spark only falls back before anything is executed."""
    for node in tree_nodes(script):
        if isinstance(node, tree.Function) and isinstance(node.name, tree.Name):
            found = overloads(node.name.parts[-1])
            fall_back_if(
                bool(found) and all(each.writer is SPARK for each in found),
                f"{node.name.parts[-1]}, which runs on Spark only",
            )


class Surroundings:
    """The context of a statement: labels in use, enclosing loops, and declared conditions."""

    def __init__(self, context: Context, may_change_session: bool) -> None:
        self.continues = context.flag("spark.sql.scripting.continueHandlerEnabled")
        self.may_change_session = may_change_session
        self.taken: list[str] = []
        self.labels: list[str] = []
        self.loops: list[str] = []
        self.conditions: list[str] = []


def check_compound(node: tree.Compound, around: Surroundings) -> None:
    inside = enter_label(around, node.label)
    check_order(node.statements)
    for each in node.statements:
        if isinstance(each, tree.DeclareCondition):
            fall_back_if(each.name.upper() in inside.conditions, "a condition that is declared twice")
            fall_back_if(
                not is_state(each.sqlstate) or not each.name.isidentifier(),
                "an invalid name or SQLSTATE of a condition",
            )
            inside.conditions = [*inside.conditions, each.name.upper()]
        else:
            check_step(each, inside)
    check_handlers([each for each in node.statements if isinstance(each, tree.DeclareHandler)])


def enter_label(around: Surroundings, label: str | None, is_loop: bool = False) -> Surroundings:
    inside = take_name(around, label)
    if label is not None:
        inside.labels = [*around.labels, label.lower()]
        inside.loops = [*around.loops, label.lower()] if is_loop else around.loops
    return inside


def take_name(around: Surroundings, name: str | None) -> Surroundings:
    """A label, or the variable of a FOR, which must be unique but cannot be the target of LEAVE."""
    inside = copy(around)
    if name is not None:
        fall_back_if(
            name.lower() in around.taken or bool(FORBIDDEN.fullmatch(name.lower())),
            "a label that is used twice, or reserved",
        )
        inside.taken = [*around.taken, name.lower()]
    return inside


def fall_back_if(wrong: bool, what: str) -> None:
    if wrong:
        raise NotNative(reasons.SCRIPT, what)


def check_order(statements: Sequence[Any]) -> None:
    """Variables and conditions come first, then handlers, then statements."""
    ranks = [rank_of(each) for each in statements]
    fall_back_if(ranks != sorted(ranks), "a declaration after other statements")


def rank_of(statement: Any) -> int:
    if isinstance(statement, tree.DeclareHandler):
        return 1
    return 0 if isinstance(statement, DECLARATIONS) else 2


def check_step(node: Any, around: Surroundings) -> None:
    if isinstance(node, tree.Compound):
        check_compound(node, around)
    elif isinstance(node, tree.DeclareHandler):
        check_handler(node, around)
    elif isinstance(node, tree.Leave):
        fall_back_if(node.label.lower() not in around.labels, "LEAVE with a label of no enclosing block or loop")
    elif isinstance(node, tree.Iterate):
        fall_back_if(node.label.lower() not in around.loops, "ITERATE with a label of no enclosing loop")
    elif isinstance(node, tree.IfElse | tree.CaseStatement | tree.While | tree.Repeat | tree.Loop | tree.For):
        check_bodies(node, around)
    else:
        check_statement(node, around)


def check_bodies(node: Any, around: Surroundings) -> None:
    """Bodies of branches and loops are no scopes: declarations are not allowed there."""
    inside = enter_label(around, node.label, is_loop=True) if isinstance(node, LOOPS) else around
    if isinstance(node, tree.For):
        inside = take_name(inside, node.variable)
    for body in bodies(node):
        fall_back_if(any(isinstance(each, DECLARATIONS) for each in body), "a declaration outside of BEGIN … END")
        for each in body:
            check_step(each, inside)


def bodies(node: Any) -> Bodies:
    if isinstance(node, tree.IfElse | tree.CaseStatement):
        yield from (body for _, body in node.branches)
        yield node.otherwise
    else:
        yield node.body


def check_handler(node: tree.DeclareHandler, around: Surroundings) -> None:
    fall_back_if(node.kind == "CONTINUE" and not around.continues, "a CONTINUE handler, which is disabled")
    general = [each for each in node.conditions if each.kind in ("SQLEXCEPTION", "NOT FOUND")]
    fall_back_if(bool(general) and len(node.conditions) > 1, "a handler for general and for specific conditions")
    for each in node.conditions:
        check_handled(each, around)
    fall_back_if(isinstance(node.body, DECLARATIONS), "a declaration as a handler")
    check_step(node.body, around)


def check_handled(each: tree.HandledCondition, around: Surroundings) -> None:
    if isinstance(each.value, tree.Name):
        name = ".".join(each.value.parts).upper()
        fall_back_if(not is_condition(name) and name not in around.conditions, "a handler for an unknown condition")
    elif each.kind == "SQLSTATE":
        fall_back_if(not is_state(each.value), "an invalid SQLSTATE")


def is_condition(name: str) -> bool:
    main, _, sub = name.partition(".")
    entry = error_conditions().get(main)
    return entry is not None and (not sub or sub in entry.get("subClass", {}))


def is_state(state: str) -> bool:
    plain = len(state) == 5 and state.isascii() and state.isalnum()
    return plain and state[:2].upper() not in ("00", "01", "XX")


def check_handlers(declared: Sequence[tree.DeclareHandler]) -> None:
    """At most one handler for each condition."""
    taken = [
        (each.kind, ".".join(each.value.parts).upper() if isinstance(each.value, tree.Name) else each.value.upper())
        for handler in declared
        for each in handler.conditions
    ]
    fall_back_if(len(taken) != len(set(taken)), "two handlers for one condition")


def check_statement(node: Any, around: Surroundings) -> None:
    if isinstance(node, tree.ExecuteImmediate | tree.DropVariable):
        raise NotNative(reasons.SCRIPT, type(node).__name__)
    if isinstance(node, tree.CreateVariable) and node.replace:
        raise NotNative(reasons.SCRIPT, "DECLARE OR REPLACE")
    plain = isinstance(node, READING + VARIABLES) or type(node) in TABLE_STATEMENTS
    if not plain and not around.may_change_session:
        raise NotNative(reasons.SCRIPT, f"{type(node).__name__}, which may change the session")
