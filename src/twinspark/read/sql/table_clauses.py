"""What may follow a table or stand among a table function's arguments."""

from collections.abc import Callable
from typing import TypeVar

from twinspark.read.sql.properties import PropertyLists
from twinspark.read.sql.tree import (
    Changes,
    Expression,
    Identifier,
    NamedArgument,
    Node,
    Properties,
    Query,
    SortItem,
    TableAlias,
    TableArgument,
    TableFunction,
    TimeTravel,
    Watermark,
)

N = TypeVar("N", bound=Node)
_VERSIONS = ("SYSTEM_VERSION", "VERSION")
_TIMESTAMPS = ("SYSTEM_TIME", "TIMESTAMP")


class TableClauses(PropertyLists):
    """The layer of aliases, time travel, options, watermarks and table arguments."""

    def table_alias(self) -> TableAlias | None:
        start = self.start
        if self.kinds[self.at] == "AS" and self.kinds[self.at + 1] in self.strict_names:
            self.at += 1
        elif not self.is_alias(self.at, self.strict_names):
            return None
        name = self.strict_identifier()
        columns = self.identifier_list() if self.kinds[self.at] == "(" else ()
        return TableAlias(start, self.stop, name, columns)

    # ------------------------------------------------------------ behind a table
    def time_travel(self) -> TimeTravel | None:
        at = self.at + (self.kinds[self.at] == "FOR")
        kind = self.kinds[at]
        if kind not in (*_VERSIONS, *_TIMESTAMPS) or self.kinds[at + 1 : at + 3] != ["AS", "OF"]:
            return None
        start, self.at = self.start, at + 3
        if kind in _TIMESTAMPS:
            timestamp = self.value()
            return TimeTravel(start, self.stop, None, timestamp)
        version = self._version()
        return TimeTravel(start, self.stop, version, None)

    def _version(self) -> str:
        return self.tokens.word(self.at - 1) if self.take("integer") else self.string_value()

    def changes(self, *, stream: bool) -> Changes:
        start = self.start
        self.expect("CHANGES")
        begin, begin_exclusive = (None, False) if stream and not self.peek("FROM") else self._change_bound("FROM")
        end, end_exclusive = (None, False)
        if not stream and self.kinds[self.at] == "TO":
            end, end_exclusive = self._change_bound("TO")
        return Changes(start, self.stop, begin, begin_exclusive, end, end_exclusive)

    def _change_bound(self, word: str) -> "tuple[str | Expression | None, bool]":
        self.expect(word)
        kind = self.expect_any(*_VERSIONS, *_TIMESTAMPS)
        bound: str | Expression = self._version() if kind in _VERSIONS else self.value()
        return bound, self.take_any("INCLUSIVE", "EXCLUSIVE") == "EXCLUSIVE"

    def options_clause(self) -> Properties:
        return self.property_list() if self.peek("WITH", "(") and self.take("WITH") else ()

    def watermark(self) -> Watermark | None:
        if self.kinds[self.at] != "WATERMARK" or self.kinds[self.at + 1] in ("eof", ",", ")", "(", ";"):
            return None
        return self.attempt(self._watermark_clause)

    def _watermark_clause(self) -> Watermark:
        start = self.start
        self.expect("WATERMARK")
        column = self.named_expression()
        self.expect("DELAY", "OF")
        delay = self.interval()
        return Watermark(start, self.stop, column, delay)

    # ------------------------------------------------------------ functions of tables
    def table_function(self, name: Identifier, start: int) -> TableFunction:
        self.expect("(")
        arguments = () if self.peek(")") else self.listed(self.table_function_argument)
        self.expect(")")
        watermark = self.watermark()
        alias = self.table_alias()
        return TableFunction(start, self.stop, name, arguments, watermark, alias)

    def table_function_argument(self) -> Expression:
        if self.kinds[self.at + 1] == "=>" and self.kinds[self.at + 2] == "TABLE":
            start = self.start
            name = self.identifier()
            self.expect("=>")
            if found := self.attempt(self._table_argument):
                return NamedArgument(start, self.stop, name, found)
            self.at -= 2
        if self.kinds[self.at] == "TABLE" and (found := self.attempt(self._table_argument)):
            return found
        return self.function_argument()

    def _table_argument(self) -> Expression:
        start = self.start
        self.expect("TABLE")
        relation = self.attempt(self.parenthesized_query, "query") if self.is_query_ahead() else None
        if relation is not None:
            return self._partitioned(start, relation)
        parenthesized = self.take("(")
        name = self.identifier_reference()
        if parenthesized:
            self.expect(")")
        found = self._partitioned(start, name)
        if not parenthesized:
            problem = "INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES"
            shown = self.text[name.start : name.stop]
            self.complain(problem, start, self.stop, argumentName=f"`{shown}`")
        return found

    def _partitioned(self, start: int, relation: Identifier | Query) -> TableArgument:
        partitioning = ""
        partition: tuple[Expression, ...] = ()
        order: tuple[SortItem, ...] = ()
        if self.take("WITH", "SINGLE", "PARTITION"):
            partitioning = "SINGLE"
        elif self.take("PARTITION", "BY") or self.take("DISTRIBUTE", "BY"):
            partitioning, partition = "BY", self._one_or_parenthesized(start)
        if partitioning and (self.take("ORDER", "BY") or self.take("SORT", "BY")):
            order = self._order_or_parenthesized(start)
        return TableArgument(start, self.stop, relation, partitioning, partition, order)

    def _one_or_parenthesized(self, start: int) -> tuple[Expression, ...]:
        if self.kinds[self.at] == "(" and not self.is_query_ahead():
            found = self.attempt(lambda: self.in_parentheses(self.expression))
            if found is not None and self.kinds[self.at] in (",", ")", "ORDER", "SORT"):
                return found
        return self._one(self._up_to_a_name(self.expression), "PARTITION BY", start)

    def _order_or_parenthesized(self, start: int) -> tuple[SortItem, ...]:
        if self.kinds[self.at] == "(":
            found = self.attempt(lambda: self.in_parentheses(self.sort_item))
            if found is not None and self.kinds[self.at] in (",", ")"):
                return found
        return self._one(self._up_to_a_name(self.sort_item), "ORDER BY", start)

    def _up_to_a_name(self, item: Callable[[], N]) -> tuple[N, ...]:
        """item, item, … and then perhaps the function's next argument, by name."""
        items = [item()]
        while self.kinds[self.at] == "," and self.kinds[self.at + 2] != "=>":
            self.at += 1
            items.append(item())
        return tuple(items)

    def _one(self, found: tuple[N, ...], clause: str, start: int) -> tuple[N, ...]:
        """Several of them need parentheses."""
        if len(found) > 1:
            message = (
                "The table function call includes a table argument with an invalid partitioning/ordering "
                f"specification: the {clause} clause included multiple expressions without parentheses surrounding "
                "them; please add parentheses around these expressions and then retry the query again"
            )
            self.complain("_LEGACY_ERROR_TEMP_0064", start, self.stop, msg=message)
        return found
