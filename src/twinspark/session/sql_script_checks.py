"""Whether a SQL script is one that runs here: well formed, and of statements whose effects both engines may miss."""

import re
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, error_conditions
from twinspark.functions.registry import SPARK, overloads
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.session.table_commands import TABLE_HANDLERS

DECLARATIONS = (tree.CreateVariable, tree.DeclareCondition, tree.DeclareHandler)
FORBIDDEN = re.compile("builtin|session|sys.*")  # no labels, no variables of FOR
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
    """What is not in order is Spark's to tell; what changes a session has to be known to its other half too."""
    if context.conf("spark.sql.caseSensitive").lower() == "true":
        raise NotNative("SQL: a script where case matters")
    check_compound(script, Around(context, may_change_session))
    if not may_change_session:
        check_functions(script)


def check_functions(script: tree.Compound) -> None:
    """Where Spark can take over, it does so before anything is done: those of its functions that never run here."""
    for node in tree_nodes(script):
        if isinstance(node, tree.Function) and isinstance(node.name, tree.Name):
            found = overloads(node.name.parts[-1])
            refuse_if(
                bool(found) and all(each.writer is SPARK for each in found), f"{node.name.parts[-1]}, Spark's own"
            )


class Around:
    """What is around a statement of a script: labels that are taken, loops that run, conditions that have names."""

    def __init__(self, context: Context, may_change_session: bool) -> None:
        self.continues = context.config.get("spark.sql.scripting.continueHandlerEnabled", "false").lower() == "true"
        self.may_change_session = may_change_session
        self.taken: list[str] = []
        self.labels: list[str] = []
        self.loops: list[str] = []
        self.conditions: list[str] = []


def check_compound(node: tree.Compound, around: Around) -> None:
    inside = entered(around, node.label)
    check_order(node.statements)
    for each in node.statements:
        if isinstance(each, tree.DeclareCondition):
            refuse_if(each.name.upper() in inside.conditions, "a condition declared twice")
            refuse_if(not is_state(each.sqlstate) or not each.name.isidentifier(), "a condition's name or state")
            inside.conditions = [*inside.conditions, each.name.upper()]
        else:
            check_step(each, inside)
    check_handlers([each for each in node.statements if isinstance(each, tree.DeclareHandler)])


def entered(around: Around, label: str | None, is_loop: bool = False) -> Around:
    inside = taking(around, label)
    if label is not None:
        inside.labels = [*around.labels, label.lower()]
        inside.loops = [*around.loops, label.lower()] if is_loop else around.loops
    return inside


def taking(around: Around, name: str | None) -> Around:
    """A label, or the variable of a FOR, which has to be another name but is nothing to leave."""
    inside = copy(around)
    if name is not None:
        refuse_if(name.lower() in around.taken or bool(FORBIDDEN.fullmatch(name.lower())), "a label that is taken")
        inside.taken = [*around.taken, name.lower()]
    return inside


def refuse_if(wrong: bool, what: str) -> None:
    if wrong:
        raise NotNative(f"SQL: a script with {what}")


def check_order(statements: Sequence[Any]) -> None:
    """Variables and conditions first, then handlers, then the rest."""
    ranks = [rank_of(each) for each in statements]
    refuse_if(ranks != sorted(ranks), "a declaration in the wrong place")


def rank_of(statement: Any) -> int:
    if isinstance(statement, tree.DeclareHandler):
        return 1
    return 0 if isinstance(statement, DECLARATIONS) else 2


def check_step(node: Any, around: Around) -> None:
    if isinstance(node, tree.Compound):
        check_compound(node, around)
    elif isinstance(node, tree.DeclareHandler):
        check_handler(node, around)
    elif isinstance(node, tree.Leave):
        refuse_if(node.label.lower() not in around.labels, "LEAVE of what is not around it")
    elif isinstance(node, tree.Iterate):
        refuse_if(node.label.lower() not in around.loops, "ITERATE of what is no loop around it")
    elif isinstance(node, tree.IfElse | tree.CaseStatement | tree.While | tree.Repeat | tree.Loop | tree.For):
        check_bodies(node, around)
    else:
        check_statement(node, around)


def check_bodies(node: Any, around: Around) -> None:
    """Bodies of branches and loops are no scopes: nothing is declared there."""
    inside = entered(around, node.label, is_loop=True) if isinstance(node, LOOPS) else around
    if isinstance(node, tree.For):
        inside = taking(inside, node.variable)
    for body in bodies(node):
        refuse_if(any(isinstance(each, DECLARATIONS) for each in body), "a declaration outside of BEGIN … END")
        for each in body:
            check_step(each, inside)


def bodies(node: Any) -> Bodies:
    if isinstance(node, tree.IfElse | tree.CaseStatement):
        yield from (body for _, body in node.branches)
        yield node.otherwise
    else:
        yield node.body


def check_handler(node: tree.DeclareHandler, around: Around) -> None:
    refuse_if(node.kind == "CONTINUE" and not around.continues, "a CONTINUE handler, which is off")
    general = [each for each in node.conditions if each.kind in ("SQLEXCEPTION", "NOT FOUND")]
    refuse_if(bool(general) and len(node.conditions) > 1, "a handler for all and for some")
    for each in node.conditions:
        check_handled(each, around)
    refuse_if(isinstance(node.body, DECLARATIONS), "a declaration as a handler")
    check_step(node.body, around)


def check_handled(each: tree.HandledCondition, around: Around) -> None:
    if isinstance(each.value, tree.Name):
        name = ".".join(each.value.parts).upper()
        refuse_if(not is_condition(name) and name not in around.conditions, "a handler for no known condition")
    elif each.kind == "SQLSTATE":
        refuse_if(not is_state(each.value), "a state that is none")


def is_condition(name: str) -> bool:
    main, _, sub = name.partition(".")
    entry = error_conditions().get(main)
    return entry is not None and (not sub or sub in entry.get("subClass", {}))


def is_state(state: str) -> bool:
    plain = len(state) == 5 and state.isascii() and state.isalnum()
    return plain and state[:2].upper() not in ("00", "01", "XX")


def check_handlers(declared: Sequence[tree.DeclareHandler]) -> None:
    """One for each condition."""
    taken = [
        (each.kind, ".".join(each.value.parts).upper() if isinstance(each.value, tree.Name) else each.value.upper())
        for handler in declared
        for each in handler.conditions
    ]
    refuse_if(len(taken) != len(set(taken)), "two handlers for one condition")


def check_statement(node: Any, around: Around) -> None:
    if isinstance(node, tree.ExecuteImmediate | tree.DropVariable):
        raise NotNative(f"SQL: {type(node).__name__} in a script")
    if isinstance(node, tree.CreateVariable) and node.replace:
        raise NotNative("SQL: DECLARE OR REPLACE in a script")
    plain = isinstance(node, READING + VARIABLES) or type(node) in TABLE_HANDLERS
    if not plain and not around.may_change_session:
        raise NotNative(f"SQL: a script with {type(node).__name__}, which may change the session")
