"""Expressions by precedence: OR, AND, NOT, predicates, comparison, | ^ &, shifts, + - ||, * / % DIV, unary, primary."""

from abc import abstractmethod

from twinspark.read.sql.follow import Follow
from twinspark.read.sql.keywords import words
from twinspark.read.sql.literals import NUMBERS
from twinspark.read.sql.tree import (
    Alias,
    Between,
    Binary,
    Exists,
    Expression,
    In,
    InSubquery,
    IsDistinct,
    IsNull,
    IsTruth,
    Like,
    LikeQuantified,
    Logical,
    Not,
    Query,
    StringLiteral,
    Unary,
)

_POWER = {
    "*": 7, "/": 7, "%": 7, "DIV": 7,
    "+": 6, "-": 6, "||": 6,
    "<<": 5, ">>": 5, ">>>": 5,
    "&": 4,
    "^": 3,
    "|": 2,
    "=": 1, "<=>": 1, "<>": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1,
}  # fmt: skip
_PREDICATES = frozenset({"NOT", "!", "BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "IS"})
_PIPE_STARTS = words(
    """
    SELECT EXTEND SET DROP AS WHERE PIVOT UNPIVOT TABLESAMPLE INNER CROSS LEFT RIGHT FULL NATURAL SEMI ANTI JOIN
    UNION EXCEPT MINUS INTERSECT ORDER CLUSTER DISTRIBUTE SORT LIMIT OFFSET AGGREGATE WINDOW LATERAL
    """
)
_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE"})


class Expressions(Follow):
    """The layer of operators and predicates; what stands between them is read by the next one."""

    @abstractmethod
    def query(self) -> Query: ...

    @abstractmethod
    def primary(self) -> Expression: ...

    # ------------------------------------------------------------ booleans
    def expression(self) -> Expression:
        start = self.starts[self.at]
        first = self._conjunction(start)
        if self.kinds[self.at] != "OR":
            return first
        operands = [first]
        while self.kinds[self.at] == "OR" and self.is_infix(self.at):
            self.at += 1
            operands.append(self._conjunction(self.starts[self.at]))
        return balanced("OR", operands, start, self.stop)

    def _conjunction(self, start: int) -> Expression:
        first = self._negation()
        if self.kinds[self.at] != "AND":
            return first
        operands = [first]
        while self.kinds[self.at] == "AND" and self.is_infix(self.at):
            self.at += 1
            operands.append(self._negation())
        return balanced("AND", operands, start, self.stop)

    def _negation(self) -> Expression:
        kind = self.kinds[self.at]
        if kind == "NOT" or kind == "!":
            return self._not(kind)
        if kind == "EXISTS" and self.kinds[self.at + 1] == "(" and (found := self.attempt(self._exists, "exists")):
            return found
        start = self.starts[self.at]
        value = self.value()
        if self.kinds[self.at] in _PREDICATES and self.is_infix(self.at):
            return self._predicate(value, start)
        return value

    def _not(self, kind: str) -> Expression:
        start, at = self.start, self.at
        if kind == "NOT" and self.kinds[at + 1] in ("eof", ",", ")", ".", "=", ";", "->"):
            return self.value()  # a column named not
        if self.kinds[at + 1] in ("IN", "IS", "LIKE", "BETWEEN") and (found := self.attempt(self._not_as_a_name)):
            return found
        self.at += 1
        child = self._negation()
        return Not(start, self.stop, child)

    def _not_as_a_name(self) -> Expression:
        """NOT IN (SELECT 1), where NOT can only be a column: IN is no function of queries."""
        start, at = self.start, self.at
        if self.attempt(lambda: self._not_and_more(at)) is not None:
            raise self.fail(at)
        self.at = at
        value = self.value()
        return self._predicate(value, start)

    def _not_and_more(self, at: int) -> Expression:
        self.at = at + 1
        return self._negation()

    def _exists(self) -> Expression:
        start = self.start
        self.expect("EXISTS")
        query = self.parenthesized_query()
        return Exists(start, self.stop, query)

    # ------------------------------------------------------------ predicates
    def _predicate(self, value: Expression, start: int) -> Expression:
        begin = self.start
        negated = self.kinds[self.at] in ("NOT", "!")
        if negated:
            self.complain_bang(self.at)
            self.at += 1
        kind = self.kinds[self.at]
        self.at += 1
        if kind == "IS":
            return self._is(value, start)
        if kind == "BETWEEN":
            lower = self.value()
            self.expect("AND")
            upper = self.value()
            return Between(start, self.stop, value, lower, upper, negated)
        if kind == "IN":
            return self._in(value, start, negated, begin)
        return self._like(value, start, kind, negated, begin)

    def _is(self, value: Expression, start: int) -> Expression:
        negated = bool(self.take_any("NOT", "!"))
        if negated:
            self.complain_bang(self.at - 1)
        kind = self.expect_any("NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT")
        if kind == "NULL":
            return IsNull(start, self.stop, value, negated)
        if kind != "DISTINCT":
            return IsTruth(start, self.stop, value, kind, negated)
        self.expect("FROM")
        right = self.value()
        return IsDistinct(start, self.stop, value, right, negated)

    def _in(self, value: Expression, start: int, negated: bool, begin: int) -> Expression:
        options = self.attempt(self._options, "options") if self._is_list_first() else None
        if options is None and self.is_query_ahead() and (query := self.attempt(self.parenthesized_query, "query")):
            return InSubquery(start, self.stop, value, query, negated)
        options = self._options() if options is None else options
        if not options:
            self.complain("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", begin, self.stop)
        return In(start, self.stop, value, options, negated)

    def _is_list_first(self) -> bool:
        """The grammar's list of values comes before its query: `(SELECT 'a')` is read as a literal of the type SELECT,
        `((SELECT a FROM t))` as a list of one value."""
        kind, behind = self.kinds[self.at + 1], self.kinds[self.at + 3]
        typed = kind in ("SELECT", "VALUES") and self.is_string(self.at + 2) and behind in (",", ")")
        return typed or (kind == "(" and self.is_query_ahead())

    def _options(self) -> tuple[Expression, ...]:
        return () if self.take("(", ")") else self.in_parentheses(self.expression)

    def _like(self, value: Expression, start: int, kind: str, negated: bool, begin: int) -> Expression:
        quantifier = self.take_any("ANY", "SOME", "ALL") if kind != "RLIKE" and self.kinds[self.at + 1] == "(" else ""
        if quantifier:
            patterns = self._options()
            if not patterns:
                message = "Expected something between '(' and ')'."
                self.complain("_LEGACY_ERROR_TEMP_0064", begin, self.stop, msg=message)
            quantifier = "ANY" if quantifier == "SOME" else quantifier
            return LikeQuantified(start, self.stop, kind, quantifier, value, patterns, negated)
        pattern = self.value()
        escape = None
        if kind != "RLIKE" and self.kinds[self.at] == "ESCAPE" and self.is_string_or_marker(self.at + 1):
            escape = self._escape(begin)
        return Like(start, self.stop, kind, value, pattern, escape, negated)

    def _escape(self, begin: int) -> str:
        self.expect("ESCAPE")
        found = self.string()
        escape = found.value if isinstance(found, StringLiteral) else self.text[found.start : found.stop]
        if len(escape) != 1 and isinstance(found, StringLiteral):
            self.complain("INVALID_ESC", begin, self.stop, invalidEscape=f"'{escape}'")
        return escape

    # ------------------------------------------------------------ values
    def value(self, least: int = 1) -> Expression:
        """Operators of this power and above, by precedence climbing; all of them lean left."""
        kinds = self.kinds
        start = self.starts[self.at]
        left = self._unary()
        while True:
            operator = kinds[self.at]
            power = _POWER.get(operator, 0)
            if power < least:
                return left
            if (operator == "|" and self.is_pipe_start()) or (operator == "DIV" and not self.is_infix(self.at)):
                return left
            self.at += 1
            right = self.value(power + 1)
            left = Binary(start, self.stops[self.at - 1], operator, left, right)

    def is_pipe_start(self) -> bool:
        return self.config.single_character_pipe and self.kinds[self.at + 1] in _PIPE_STARTS

    def _unary(self) -> Expression:
        kind = self.kinds[self.at]
        if kind not in ("-", "+", "~") or (kind == "-" and self.kinds[self.at + 1] in NUMBERS):
            return self.primary()
        start = self.start
        self.at += 1
        child = self._unary()
        return Unary(start, self.stop, kind, child)

    # ------------------------------------------------------------ aliases
    def named_expression(self) -> Expression:
        """expression [[AS] name | [AS] (name, …)]"""
        start = self.start
        child = self.expression()
        kind = self.kinds[self.at]
        if kind == "," or (kind == "FROM" and not self.is_alias(self.at, self.names)):
            return child
        if kind == "AS" and self._is_as():
            self.at += 1
            multiple = self.kinds[self.at] == "("
            names = self.identifier_list() if multiple else (self.captured_identifier(),)
            return Alias(start, self.stop, child, names, multiple)
        if kind == "(":
            names = self.identifier_list()
            return Alias(start, self.stop, child, names, True)
        if self.is_alias(self.at, self.names):
            name = self.captured_identifier()
            return Alias(start, self.stop, child, (name,))
        return child

    def _is_as(self) -> bool:
        """Whether AS here comes before a name; where it may be one itself, that name must not begin a clause."""
        if "AS" not in self.names:
            return True
        second = self.kinds[self.at + 1]
        if second == "FROM" and not self.is_alias(self.at + 1, self.names):
            return False
        return second in self.names or second == "("

    def named_expressions(self) -> tuple[Expression, ...]:
        return self.listed(self.named_expression)

    # ------------------------------------------------------------ queries inside
    def is_query_ahead(self) -> bool:
        """Whether the parenthesis here may open a query."""
        at = self.at
        while self.kinds[at] == "(":
            at += 1
        return at > self.at and self.kinds[at] in _QUERY_STARTS

    def parenthesized_query(self) -> Query:
        self.expect("(")
        query = self.query()
        self.expect(")")
        return query


def balanced(operator: str, operands: list[Expression], start: int, stop: int) -> Expression:
    """A chain of one operator becomes a balanced tree, as in Spark's visitLogicalBinary; generated names show it."""
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) - 1) // 2 + 1
    left = balanced(operator, operands[:middle], start, stop)
    right = balanced(operator, operands[middle:], start, stop)
    return Logical(start, stop, operator, left, right)
