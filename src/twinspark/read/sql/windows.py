"""Function calls and what may follow them: WITHIN GROUP, FILTER, IGNORE NULLS, OVER a window."""

from twinspark.read.sql.expressions import Expressions
from twinspark.read.sql.resolved import is_resolved
from twinspark.read.sql.tree import (
    Binary,
    Expression,
    FrameBound,
    Function,
    IdentifierClause,
    Name,
    NamedArgument,
    NamedWindow,
    Parameter,
    SortItem,
    StringLiteral,
    WindowDefinition,
    WindowFrame,
    WindowReference,
    WindowSpec,
)


class Windows(Expressions):
    """The layer of calls, sort items and windows."""

    # ------------------------------------------------------------ calls
    def function_call(self, name: Name | IdentifierClause | None = None) -> Expression:
        if name is None:
            start, word = self.start, self._function_name()
            name = Name(start, self.stop, (word,))
        self.expect("(")
        distinct = False
        arguments: tuple[Expression, ...] = ()
        if not self.take(")"):
            distinct = self._quantifier() == "DISTINCT"
            arguments = self.listed(self.function_argument)
            self.expect(")")
        if self.kinds[self.at] not in _BEHIND_CALL:
            return Function(name.start, self.stop, name, arguments, distinct, (), None, "", None)
        return self._behind_call(name, arguments, distinct)

    def _function_name(self) -> str:
        if self.kinds[self.at] in ("LEFT", "RIGHT", "FILTER"):
            self.at += 1
            return self.tokens.word(self.at - 1)
        return self.simple_identifier()

    def _quantifier(self) -> str:
        """DISTINCT or ALL before the arguments, unless it is the name of one."""
        if self.kinds[self.at] in ("DISTINCT", "ALL") and self.kinds[self.at + 1] not in (",", ")", ".", "->", "=>"):
            return self.take_any("DISTINCT", "ALL")
        return ""

    def function_argument(self) -> Expression:
        if self.kinds[self.at + 1] != "=>":
            return self.expression()
        start = self.start
        name = self.identifier()
        self.expect("=>")
        value = self.expression()
        return NamedArgument(start, self.stop, name, value)

    def _behind_call(
        self, name: Name | IdentifierClause, arguments: tuple[Expression, ...], distinct: bool
    ) -> Expression:
        within: tuple[SortItem, ...] = ()
        if self.take("WITHIN", "GROUP", "("):
            self.expect("ORDER", "BY")
            within = self.listed(self.sort_item)
            self.expect(")")
        condition = None
        if self.take("FILTER", "(", "WHERE"):
            condition = self.expression()
            self.expect(")")
        nulls = ""
        if self.kinds[self.at + 1 : self.at + 2] == ["NULLS"]:
            nulls = self.take_any("IGNORE", "RESPECT")
            self.at += bool(nulls)
        over = self._window_spec() if self._is_over() else None
        return Function(name.start, self.stop, name, arguments, distinct, within, condition, nulls, over)

    def _is_over(self) -> bool:
        if self.kinds[self.at] != "OVER":
            return False
        second = self.kinds[self.at + 1]
        taken = second == "(" or (self.is_name(self.at + 1) and self.is_alias(self.at + 1, self.names))
        self.at += taken
        return taken

    def identifier_expression(self) -> Expression:
        """IDENTIFIER(expression), also as the name of a function."""
        clause = self.identifier_clause()
        return self.function_call(clause) if self.kinds[self.at] == "(" else clause

    def identifier_clause(self) -> IdentifierClause:
        start = self.start
        self.expect("IDENTIFIER", "(")
        expression = self.expression()
        self.expect(")")
        return IdentifierClause(start, self.stop, expression)

    def identifier_reference(self) -> Name | IdentifierClause:
        """A table, view, function or namespace by name, or by IDENTIFIER(…)."""
        if self.peek("IDENTIFIER", "(") and (found := self.attempt(self._whole_clause)):
            return found
        return self.multipart_identifier()

    def _whole_clause(self) -> IdentifierClause:
        clause = self.identifier_clause()
        if self.kinds[self.at] == "." and not self.config.legacy_identifier_clause_only:
            raise self.fail()  # IDENTIFIER('a').b is a name of two parts
        return clause

    # ------------------------------------------------------------ sorting
    def sort_item(self) -> SortItem:
        start = self.start
        child = self.expression()
        ordering = self.take_any("ASC", "DESC")
        nulls = ""
        if self.take("NULLS"):
            nulls = self.expect_any("FIRST", "LAST")
        return SortItem(start, self.stop, child, ordering, nulls)

    def sort_items(self) -> tuple[SortItem, ...]:
        return self.listed(self.sort_item)

    def expressions(self) -> tuple[Expression, ...]:
        return self.listed(self.expression)

    # ------------------------------------------------------------ windows
    def window_clause(self) -> tuple[NamedWindow, ...]:
        """WINDOW name AS spec, …"""
        if self.kinds[self.at] != "WINDOW":
            return ()
        start = self.start
        self.at += 1
        windows = self.listed(self._named_window)
        self._check_windows(windows, start)
        return windows

    def _check_windows(self, windows: tuple[NamedWindow, ...], start: int) -> None:
        seen: dict[str, WindowSpec] = {}
        for window in windows:
            if window.name in seen:
                self._complain_of_window("REPETITIVE_WINDOW_DEFINITION", start, window.name)
            seen[window.name] = window.window
        for window in windows:
            if isinstance(window.window, WindowReference):
                target = seen.get(window.window.name)
                if target is None:
                    self._complain_of_window("UNRESOLVED_WINDOW_REFERENCE", start, window.window.name)
                elif isinstance(target, WindowReference):
                    self._complain_of_window("INVALID_WINDOW_REFERENCE", start, window.window.name)

    def _complain_of_window(self, problem: str, start: int, name: str) -> None:
        self.complain(f"INVALID_SQL_SYNTAX.{problem}", start, self.stop, windowName=f"`{name}`")

    def _named_window(self) -> NamedWindow:
        start = self.start
        name = self.captured_identifier()
        self.expect("AS")
        self.named_window = self.named_window if self.named_window >= 0 else self.at
        window = self._window_spec()
        return NamedWindow(start, self.stop, name, window)

    def _window_spec(self) -> WindowSpec:
        start = self.start
        if self.kinds[self.at] != "(":
            return WindowReference(start, self.stops[self.at], self.captured_identifier())
        if self.is_name(self.at + 1) and self.kinds[self.at + 2] == ")":
            self.at += 1
            name = self.captured_identifier()
            self.expect(")")
            return WindowReference(start, self.stop, name)
        return self._window_definition(start)

    def _window_definition(self, start: int) -> WindowDefinition:
        self.expect("(")
        partition: tuple[Expression, ...] = ()
        order: tuple[SortItem, ...] = ()
        if self.take("CLUSTER", "BY"):
            partition = self.expressions()
        else:
            if self.take("PARTITION", "BY") or self.take("DISTRIBUTE", "BY"):
                partition = self.expressions()
            if self.take("ORDER", "BY") or self.take("SORT", "BY"):
                order = self.sort_items()
        frame = self._window_frame() if self.kinds[self.at] in ("RANGE", "ROWS") else None
        if frame is None and (order or len(partition) > 1):
            self.unwanted = self.at
        self.expect(")")
        return WindowDefinition(start, self.stop, partition, order, frame)

    def _window_frame(self) -> WindowFrame:
        start = self.start
        unit = self.expect_any("RANGE", "ROWS")
        between = self.take("BETWEEN")
        begin = self._frame_bound()
        if between:
            self.expect("AND")
        end = self._frame_bound() if between else None
        return WindowFrame(start, self.stop, unit, begin, end)

    def _frame_bound(self) -> FrameBound:
        start = self.start
        if self.kinds[self.at] == "UNBOUNDED" and self.kinds[self.at + 1] in ("PRECEDING", "FOLLOWING"):
            self.at += 2
            return FrameBound(start, self.stop, f"UNBOUNDED {self.kinds[self.at - 1]}", None)
        if self.take("CURRENT", "ROW"):
            return FrameBound(start, self.stop, "CURRENT ROW", None)
        value = self.expression()
        kind = self.expect_any("PRECEDING", "FOLLOWING")
        if not isinstance(value, Parameter) and not is_resolved(value):
            message = "Frame bound value must be a literal."
            self.complain("_LEGACY_ERROR_TEMP_0064", start, self.stop, msg=message)
        return FrameBound(start, self.stop, kind, value)


def folded(node: Expression) -> str | None:
    """The value of a string literal, or of literals put together with ||."""
    if isinstance(node, StringLiteral):
        return node.value
    if isinstance(node, Binary) and node.operator == "||":
        left, right = folded(node.left), folded(node.right)
        return None if left is None or right is None else left + right
    return None


_BEHIND_CALL = frozenset({"WITHIN", "FILTER", "IGNORE", "RESPECT", "OVER"})
