"""The scopes of a running SQL script: frames of scopes with their variables, and the handlers that match an error."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from twinspark.commands.script.variables import Variable
from twinspark.plan.expressions import Expression
from twinspark.read.sql import tree

SCRIPT, EXIT, CONTINUE = "SCRIPT", "EXIT", "CONTINUE"


@dataclass(frozen=True)
class Handler:
    """What is executed when a statement fails; `label` names the scope that declares it."""

    kind: str
    body: Any
    label: str


@dataclass
class Handlers:
    """The handlers of one scope, by what they are declared for."""

    conditions: dict[str, Handler] = field(default_factory=dict)
    states: dict[str, Handler] = field(default_factory=dict)
    exception: Handler | None = None
    not_found: Handler | None = None

    @classmethod
    def of(cls, statements: Sequence[Any], label: str) -> "Handlers":
        """A later declaration replaces the handlers of SQLEXCEPTION and NOT FOUND of an earlier one, whatever it is
        declared
        for (SqlScriptingInterpreter.transformBodyIntoExec)."""
        made = cls()
        for each in statements:
            if isinstance(each, tree.DeclareHandler):
                made.add(each, Handler(each.kind, each.body, label))
        return made

    def add(self, declared: tree.DeclareHandler, handler: Handler) -> None:
        kinds = {each.kind for each in declared.conditions}
        self.exception = handler if "SQLEXCEPTION" in kinds else None
        self.not_found = handler if "NOT FOUND" in kinds else None
        for each in declared.conditions:
            if each.kind == "SQLSTATE":
                self.states[str(each.value).upper()] = handler
            elif isinstance(each.value, tree.Name):
                self.conditions[".".join(each.value.parts).upper()] = handler

    def find(self, condition: str, state: str) -> Handler | None:
        """The handler by condition, by its class, by its state, and last the general ones (…Scope.findHandler)."""
        known = self.conditions.get(condition) or self.conditions.get(condition.partition(".")[0])
        known = known or self.states.get(state)
        if known is None and state.startswith("02"):
            return self.not_found
        return self.exception if known is None and not state.startswith("XX") else known


@dataclass
class Scope:
    """A running BEGIN … END, or one iteration of FOR."""

    label: str
    handlers: Handlers = field(default_factory=Handlers)
    variables: dict[str, Variable] = field(default_factory=dict)


@dataclass
class Frame:
    """The script itself, or the body of a running handler; `label` names the scope that declares the handler."""

    kind: str
    label: str = ""
    scopes: list[Scope] = field(default_factory=list)

    def up_to(self, label: str) -> list[Scope]:
        """The scopes from the outermost to the one of this label; empty if it is not in this frame."""
        labels = [each.label for each in self.scopes]
        return self.scopes[: len(labels) - labels[::-1].index(label)] if label in labels else []

    def after(self, label: str | None) -> Iterator[Scope]:
        """From the innermost scope outwards; if a handler of `label` is running, from the scope around that one."""
        around = self.scopes if label is None else self.up_to(label)[:-1]
        return reversed(around)


def fresh_label() -> str:
    return str(uuid.uuid4())


class Frames:
    """All frames of a script, the innermost last."""

    def __init__(self) -> None:
        self.frames = [Frame(SCRIPT)]
        self._first_handler: str | None = None  # the outermost scope whose handler is running

    @property
    def scopes(self) -> list[Scope]:
        return self.frames[-1].scopes

    def handler_of(self, condition: str, state: str) -> Handler | None:
        """Searches the handler's own body first, then the script's scopes
        (SqlScriptingExecutionContext.findHandler)."""
        condition, state = condition.upper(), state.upper()
        if self.frames[-1].kind != SCRIPT:
            for scope in reversed(self.scopes):
                if found := scope.handlers.find(condition, state):
                    return found
        for scope in self.frames[0].after(self._first_handler):
            if found := scope.handlers.find(condition, state):
                self._first_handler = found.label
                return found
        return None

    def enter(self, handler: Handler) -> None:
        self.frames.append(Frame(handler.kind, handler.label))

    def leave(self, handler: Handler) -> None:
        self.frames.pop()
        if self._first_handler == handler.label:
            self._first_handler = None

    def close(self, scope: Scope) -> None:
        """Removes the scope and all scopes inside it."""
        scopes = self.scopes
        del scopes[next(at for at, each in enumerate(scopes) if each is scope) :]

    # ---- variables

    def visible_scopes(self) -> Iterator[Scope]:
        """Scopes whose variables are visible, the one with the highest precedence last. For the body of a handler,
        those of its
        declaration follow, and among them the outermost has precedence (…Context.searchAcrossFrames)."""
        label = self.frames[-1].label
        around: list[Scope] = []
        for frame in reversed(self.frames[:-1]):
            seen = frame.up_to(label)
            around = [*around, *seen]
            label = frame.label if seen else label
        yield from reversed(around)
        yield from self.scopes

    def values(self) -> Mapping[tuple[str, ...], Expression]:
        """Variables for queries, by name alone and qualified by the label of their scope."""
        found: dict[tuple[str, ...], Expression] = {}
        for scope in self.visible_scopes():
            for name, variable in scope.variables.items():
                found[(name,)] = found[(scope.label, name)] = variable.expression()
        return found

    @property
    def has_nested(self) -> bool:
        return any(each.is_nested for scope in self.visible_scopes() for each in scope.variables.values())

    def variable(self, parts: Sequence[str]) -> Variable | None:
        lowered = [part.lower() for part in parts]
        found = None
        for scope in self.visible_scopes():
            if len(lowered) == 1 or (len(lowered) == 2 and lowered[0] == scope.label):
                found = scope.variables.get(lowered[-1], found)
        return found

    def put(self, variable: Variable) -> None:
        """Sets a variable in its scope: no two running scopes have the same label."""
        for scope in self.visible_scopes():
            if scope.label == variable.home[-1]:
                scope.variables[variable.name] = variable
