"""Primary expressions: names, calls, casts, CASE and the other forms with keywords, and what may hang behind them."""

import re

from twinspark.read.sql.forms import SPECIAL, Forms
from twinspark.read.sql.literals import NUMBERS
from twinspark.read.sql.tokens import unquote
from twinspark.read.sql.tree import (
    Cast,
    Collate,
    Column,
    Dereference,
    Expression,
    Lambda,
    Name,
    Row,
    SemiStructuredExtract,
    Star,
    Subquery,
    Subscript,
)

_POSTFIX = frozenset({".", "[", "::", ":", "COLLATE"})


class Primaries(Forms):
    """The layer of everything that binds tighter than an operator."""

    def primary(self) -> Expression:
        start, kind = self.starts[self.at], self.kinds[self.at]
        if kind == "identifier":
            found = self._name()
        else:
            special = SPECIAL.get(kind)
            found = (special(self) if special is not None else None) or self._ordinary(kind)
        while self.kinds[self.at] in _POSTFIX:
            behind = self._behind(found, start)
            if behind is None:
                return found
            found = behind
        return found

    def _ordinary(self, kind: str) -> Expression:
        if kind in NUMBERS or kind == "-":
            return self.number()
        if self.is_string_or_marker(self.at):
            return self.string()
        if kind == "?" or kind == ":":
            return self.marker()
        if kind == "*":
            return self._star(self.start, ())
        if kind == "(":
            return self._parenthesized()
        if kind in self.names or kind in ("LEFT", "RIGHT", "FILTER"):
            return self._name()
        if kind == "TIME" and self.is_string(self.at + 1):
            return self.typed_literal()
        raise self.fail()

    # ------------------------------------------------------------ names and calls
    def _name(self) -> Expression:
        at = self.at
        second = self.kinds[at + 1]
        if second == "(":
            return self.function_call()
        if second == "->":
            return self._lambda((self.identifier(),), self.starts[at])
        if second in self.string_kinds:
            return self.typed_literal()
        if second == "doublequoted":
            raise self.fail(at + 1)  # would be a typed literal if such quotes made strings; Spark's parser stops too
        if self.kinds[at] not in self.names:
            raise self.fail()
        start = self.starts[at]
        parts = [self.identifier()]
        while self.kinds[self.at] == ".":
            if self.kinds[self.at + 1] == "*":
                self.at += 1
                return self._star(start, tuple(parts))
            if self.kinds[self.at + 1] not in self.names:
                self.fail(self.at + 1)
                break
            is_function = self._is_identifier_call(self.at + 1)  # a.IDENTIFIER('b') calls a function of that name
            self.at += 1
            parts.append(self.simple_identifier() if is_function else self.identifier())
        if self.kinds[self.at] == "(" and len(parts) > 1:
            return self.function_call(Name(start, self.stop, tuple(parts)))
        return Column(start, self.stop, tuple(parts))

    def _is_identifier_call(self, at: int) -> bool:
        return self.kinds[at] == "IDENTIFIER" and self.kinds[at + 1] == "("

    def _star(self, start: int, target: tuple[str, ...]) -> Expression:
        self.expect("*")
        excluded: tuple[Name, ...] = ()
        if self.peek("EXCEPT", "(") and not self.is_query_ahead_at(self.at + 1):
            self.at += 1
            excluded = self.in_parentheses(self.multipart_identifier)
        elif self.kinds[self.at] == "EXCEPT" and self.kinds[self.at + 1] in ("identifier", "backquoted"):
            raise self.fail(self.at + 1)
        return Star(start, self.stop, target, excluded)

    def is_query_ahead_at(self, at: int) -> bool:
        here, self.at = self.at, at
        ahead = self.is_query_ahead()
        inner = self.kinds[at + 2]
        self.at = here
        return ahead and inner not in (",", ")", ".")

    def _lambda(self, parameters: tuple[str, ...], start: int) -> Expression:
        self.expect("->")
        body = self.expression()
        return Lambda(start, self.stop, parameters, body)

    # ------------------------------------------------------------ parentheses
    def _parenthesized(self) -> Expression:
        start = self.start
        if self._is_row_of_select() and (row := self.attempt(self._row, "row")):
            return row
        if self.is_query_ahead() and (query := self.attempt(self.parenthesized_query, "query")):
            return Subquery(start, self.stop, query)
        if self._is_lambda():
            return self._lambda(self.in_parentheses(self.identifier), start)
        self.expect("(")
        first = self.named_expression()
        if self.kinds[self.at] != ",":
            return self._close(first, start)
        fields = [first]
        while self.take(","):
            fields.append(self.named_expression())
        self.expect(")")
        return Row(start, self.stop, tuple(fields))

    def _is_row_of_select(self) -> bool:
        """(SELECT a, b) is a row too: of a column named select, aliased a, and of b. The grammar prefers that."""
        kinds, at = self.kinds, self.at
        return kinds[at + 1] == "SELECT" and kinds[at + 3] == "," and (self.is_name(at + 2) or self.is_string(at + 2))

    def _row(self) -> Expression:
        start = self.start
        fields = self.in_parentheses(self.named_expression)
        return Row(start, self.stop, fields)

    def _close(self, inner: Expression, start: int) -> Expression:
        if self.kinds[self.at] == ")" and type(inner).__name__ == "Alias":
            raise self.fail()  # (a AS b) alone is no row
        self.expect(")")
        return inner

    def _is_lambda(self) -> bool:
        """( name, name ) ->"""
        at = self.at + 1
        while self.is_name(at) and self.kinds[at + 1] == ",":
            at += 2
        return at > self.at + 1 and self.is_name(at) and self.kinds[at + 1] == ")" and self.kinds[at + 2] == "->"

    # ------------------------------------------------------------ what hangs behind
    def _behind(self, base: Expression, start: int) -> Expression | None:
        kind = self.kinds[self.at]
        if kind == ".":
            return self._dereference(base, start)
        if kind == "[":
            self.at += 1
            index = self.value()
            self.expect("]")
            return Subscript(start, self.stop, base, index)
        if kind == "::":
            self.at += 1
            data_type = self.data_type()
            return Cast(start, self.stop, "::", base, data_type)
        if kind == "COLLATE":
            return self._collate(base, start)
        return self._semi_structured(base, start)

    def _dereference(self, base: Expression, start: int) -> Expression | None:
        if not self.is_name(self.at + 1):
            self.fail(self.at + 1)
            return None
        self.at += 1
        field = self.identifier()
        if isinstance(base, Column):
            return Column(start, self.stop, (*base.parts, field))
        return Dereference(start, self.stop, base, field)

    def _collate(self, base: Expression, start: int) -> Expression | None:
        if not self.is_name(self.at + 1) or not self.is_infix(self.at):
            return None
        self.at += 1
        collation = self.multipart_identifier()
        return Collate(start, self.stop, base, collation)

    def _semi_structured(self, base: Expression, start: int) -> Expression | None:
        """base:a.b[0]['c']; the path is the text itself without its back quotes."""
        self.expect(":")
        begin = self.at
        names = [self._path_part(first=True)]
        while self.kinds[self.at] == "[" or (self.kinds[self.at] == "." and self.is_name(self.at + 1)):
            names.append(self._path_part(first=False))
        words = [unquote(w) if w[0] == "`" else w for w in map(self.tokens.word, range(begin, self.at))]
        path = "".join(words)
        last = next((name for name in reversed(names) if name is not None), None)
        return SemiStructuredExtract(start, self.stop, base, f"${'' if path[0] == '[' else '.'}{path}", last)

    def _path_part(self, *, first: bool) -> str | None:
        """The name of a field, or None for an index."""
        if not self.take("["):
            if not first:
                self.expect(".")
            return self.identifier().rsplit(".", 1)[-1]  # a point inside of back quotes parts the path all the same
        name = None
        if not self.take("integer"):
            if not self.is_string_or_marker(self.at):
                raise self.fail()
            name = self.string_value()
            self._check_path_name(self.at - 1)
        self.expect("]")
        return name

    def _check_path_name(self, at: int) -> None:
        """JsonPathParser reads ['name'] only."""
        if not re.fullmatch(r"'[^']+'", self.tokens.word(at)):
            self.complain("PARSE_SYNTAX_ERROR", self.starts[at], self.stops[at])
