"""The parser's position in the tokens of a text: looks ahead, takes tokens, tries a rule and backtracks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from twinspark.cancellation import check_wanted
from twinspark.errors import QueryContext
from twinspark.read.sql.lexer.config import ParserConfig
from twinspark.read.sql.lexer.errors import ParseError, SyntaxFailure
from twinspark.read.sql.lexer.keywords import ANSI_NAMES, NAMES, STRICT_NAMES
from twinspark.read.sql.lexer.tokens import Tokens, tokenize
from twinspark.read.sql.tree import Expression, Query, QueryTerm, Statement

T = TypeVar("T")
CHECK_EVERY = 500  # tokens between two checks for cancellation, which are a few milliseconds
# offsets of errors whose context is the enclosing query or statement, whose end is not known yet
QUERY, STATEMENT = -1, -2


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules that a module calls although a later module defines them.

    Expressions contain queries and queries contain expressions. All other calls between rules are plain imports."""

    primary: Callable[["Cursor"], Expression]
    query: Callable[["Cursor"], Query]
    pipe: Callable[["Cursor", QueryTerm, int], QueryTerm]
    statement: Callable[["Cursor"], Statement]


class Cursor:
    """The tokens of a text, the index of the next token, and the errors found so far.

    Spark first matches the whole text and builds its tree after that, so a syntax error anywhere comes before an error
    of the tree builder. Errors of that second kind are kept in `deferred_errors` until the text is known to match."""

    def __init__(self, text: str, config: ParserConfig, grammar: Grammar) -> None:
        self.text = text
        self.config = config
        self.grammar = grammar
        self.tokens: Tokens = tokenize(text)
        self.kinds = self.tokens.kinds
        self.starts = self.tokens.starts
        self.stops = self.tokens.stops
        self.at = 0
        self.farthest = 0
        self.deferred_errors: list[ParseError] = []
        self.failed: set[tuple[str, int]] = set()
        self.markers: list[tuple[int, int, str]] = []  # start, stop and name (empty for `?`) of parameter markers
        names, strict = (ANSI_NAMES, ANSI_NAMES) if config.enforce_reserved_keywords else (NAMES, STRICT_NAMES)
        if config.double_quoted_identifiers:
            names, strict = names | {"doublequoted"}, strict | {"doublequoted"}
        self.names, self.strict_names = names, strict
        self.string_kinds = {"string"} if config.double_quoted_identifiers else {"string", "doublequoted"}

    parentheses = range(0)  # the run of opening parentheses that was scanned last
    next_check = CHECK_EVERY
    extra_token = -1  # a token after a complete list, which ANTLR calls extra input
    named_window = -1  # the offset of the first window of a WINDOW clause
    script_depth = 0  # inside BEGIN … END, where DO ends the query of a FOR loop
    gives_context = True  # texts of data types alone are parsed without query contexts
    names_extra_input = True  # whether one token too much at the end is reported as extra input
    is_raw = False  # a SET or RESET whose text is taken verbatim, comments included
    looks_for_markers = False  # only the offsets of markers are needed, not the tree

    # ------------------------------------------------------------ look and take
    def fail(self, at: int | None = None) -> SyntaxFailure:
        """Records the position of the failure and returns the exception to raise."""
        self.farthest = max(self.farthest, self.at if at is None else at)
        return SyntaxFailure()

    def expect(self, *kinds: str) -> None:
        for kind in kinds:
            if self.kinds[self.at] != kind:
                raise self.fail()
            self.at += 1

    def take(self, *kinds: str) -> bool:
        """Takes all of these tokens, or none."""
        at = self.at
        for kind in kinds:
            if self.kinds[at] != kind:
                return False
            at += 1
        self.at = at
        return True

    def take_any(self, *kinds: str) -> str:
        """Takes one token if it is one of these; returns its kind, or an empty string."""
        kind = self.kinds[self.at]
        if kind in kinds:
            self.at += 1
            return kind
        return ""

    def expect_any(self, *kinds: str) -> str:
        kind = self.take_any(*kinds)
        if not kind:
            raise self.fail()
        return kind

    def take_words(self, *words: str) -> bool:
        """Like `take`, for words that need not be keywords of Spark; given in upper case."""
        at = self.at
        if any(self.tokens.word(at + i).upper() != word for i, word in enumerate(words)):
            return False
        self.at = at + len(words)
        return True

    def expect_words(self, *words: str) -> None:
        for word in words:
            if not self.take_words(word):
                raise self.fail()

    def peek(self, *kinds: str) -> bool:
        at = self.at
        return all(self.kinds[at + i] == kind for i, kind in enumerate(kinds))

    def is_name(self, at: int) -> bool:
        return self.kinds[at] in self.names

    def end_of_parentheses(self) -> int:
        """The index of the token after the opening parentheses here. Only the first one of a long run scans it."""
        if self.at not in self.parentheses:
            at = self.at
            while self.kinds[at] == "(":
                at += 1
            self.parentheses = range(self.at, at)
        return self.parentheses.stop

    @property
    def start(self) -> int:
        """The offset of the next token."""
        return self.starts[self.at]

    @property
    def stop(self) -> int:
        """The offset after the last token that was taken."""
        return self.stops[self.at - 1]

    def span(self, start: int) -> tuple[int, int, str]:
        """The start, stop and text of the command that ends here."""
        return start, self.stop, self.text[start : self.stop]

    # ------------------------------------------------------------ rules
    def attempt(self, rule: Callable[["Cursor"], T], name: str = "") -> T | None:
        """The result of the rule, or None with the cursor reset.

        A named rule that failed at a token is not tried there again. Otherwise nested rules would be tried once more
        for every reading of what surrounds them, twice as often with every level."""
        at, errors = self.at, len(self.deferred_errors)
        if name and (name, at) in self.failed:
            return None
        try:
            return rule(self)
        except SyntaxFailure:
            self.give_up(at, errors, name)
            return None

    def give_up(self, at: int, errors: int, name: str = "") -> None:
        """Resets the cursor to that token and that number of deferred errors."""
        self.at = at
        del self.deferred_errors[errors:]
        while self.markers and self.markers[-1][0] >= self.starts[at]:
            self.markers.pop()
        if name:
            self.failed.add((name, at))

    def list_of(self, rule: Callable[["Cursor"], T]) -> tuple[T, ...]:
        """item, item, …"""
        items = [rule(self)]
        while self.kinds[self.at] == ",":
            self.at += 1
            items.append(rule(self))
        return tuple(items)

    def in_parentheses(self, rule: Callable[["Cursor"], T]) -> tuple[T, ...]:
        """(item, item, …)"""
        self.expect("(")
        items = self.list_of(rule)
        self.expect(")")
        return items

    def expect_end(self, node: T) -> T:
        """Returns the node if it ends the statement."""
        if self.kinds[self.at] not in ("eof", ";"):
            raise self.fail()
        return node

    def rest_of_text(self) -> str:
        """The text after the last token that was taken, verbatim; moves the cursor to the end."""
        rest = self.text[self.stop if self.at else 0 :]
        self.at = self.kinds.index("eof")
        return rest

    def check_wanted(self) -> None:
        """Raises if the statement was cancelled."""
        self.next_check = self.at + CHECK_EVERY
        check_wanted()

    # ------------------------------------------------------------ errors of Spark's tree builder
    def defer_error(self, condition: str, start: int, stop: int, **parameters: object) -> None:
        """Records an error that is raised once the text is known to match."""
        contexts = (QueryContext(self.text[start:stop], start, stop - 1, text=self.text),) if self.gives_context else ()
        self.deferred_errors.append(ParseError(condition, self.text, start, contexts, **parameters))

    def defer_plain_error(self, condition: str, exception: str, start: int, **parameters: object) -> None:
        """Like `defer_error`, but without a query context and as an exception of that class."""
        error = ParseError(condition, self.text, start, (), **parameters)
        error.exception = exception
        self.deferred_errors.append(error)

    def defer_query_error(self, condition: str, **parameters: object) -> None:
        """Like `defer_error`; its context is the enclosing query, whose end is not known yet."""
        self.deferred_errors.append(ParseError(condition, self.text, QUERY, (), **parameters))

    def defer_statement_error(self, condition: str, **parameters: object) -> None:
        """Like `defer_error`; its context is the enclosing statement."""
        self.deferred_errors.append(ParseError(condition, self.text, STATEMENT, (), **parameters))

    def attach_context(self, since: int, start: int, waiting: int = QUERY) -> None:
        """Sets the context of errors that wait for the query or statement that has just ended."""
        context = QueryContext(self.text[start : self.stop], start, self.stop - 1, text=self.text)
        for index, error in enumerate(self.deferred_errors[since:], since):
            if error.offset == waiting:
                found = ParseError(error.condition, self.text, start, (context,), **error.parameters)
                self.deferred_errors[index] = found

    def check_bang(self, at: int) -> None:
        """`!` for NOT is not allowed before predicates any more."""
        if self.kinds[at] == "!" and not self.config.legacy_bang_equals_not:
            self.defer_error("SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", self.starts[at], self.stops[at], clause="!")
