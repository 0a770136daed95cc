"""Where the parser stands in the tokens: look, take, try another reading, and say what went wrong."""

from collections.abc import Callable
from typing import TypeVar

from twinspark.errors import NotNative, QueryContext
from twinspark.read.sql.config import ParserConfig
from twinspark.read.sql.failures import ParseError, SyntaxFailure
from twinspark.read.sql.keywords import ANSI_NAMES, NAMES, STRICT_NAMES
from twinspark.read.sql.tokens import Tokens, tokenize, unescape, unquote
from twinspark.read.sql.tree import Name

T = TypeVar("T")


class Cursor:
    """The lowest layer of the parser.

    Spark first matches the whole text and builds its tree after that, so a syntax error anywhere goes before a
    complaint about meaning: those are kept in `complaints` until the text is known to match.
    """

    def __init__(self, text: str, config: ParserConfig) -> None:
        self.text = text
        self.config = config
        self.tokens: Tokens = tokenize(text)
        self.kinds = self.tokens.kinds
        self.starts = self.tokens.starts
        self.stops = self.tokens.stops
        self.at = 0
        self.farthest = 0
        self.unwanted = -1  # a token behind a list that ends there: ANTLR calls it extra
        self.named_window = -1  # where the first window of a WINDOW clause begins
        self.complaints: list[ParseError] = []
        self.failed: set[tuple[str, int]] = set()
        self.markers: list[tuple[int, int, str]] = []  # start, stop and name (empty for `?`) of parameter markers
        names, strict = (ANSI_NAMES, ANSI_NAMES) if config.enforce_reserved_keywords else (NAMES, STRICT_NAMES)
        if config.double_quoted_identifiers:
            names, strict = names | {"doublequoted"}, strict | {"doublequoted"}
        self.names, self.strict_names = names, strict
        self.string_kinds = {"string"} if config.double_quoted_identifiers else {"string", "doublequoted"}

    # ------------------------------------------------------------ look and take
    def fail(self, at: int | None = None) -> SyntaxFailure:
        """Remembers the place and gives the exception to raise."""
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
        """Takes one token if it is one of these; its kind, or empty."""
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

    def peek(self, *kinds: str) -> bool:
        at = self.at
        return all(self.kinds[at + i] == kind for i, kind in enumerate(kinds))

    @property
    def start(self) -> int:
        """Offset of the token that comes next."""
        return self.starts[self.at]

    @property
    def stop(self) -> int:
        """Offset just behind the token that was taken last."""
        return self.stops[self.at - 1]

    def attempt(self, reading: Callable[[], T], name: str = "") -> T | None:
        """This reading of the tokens, or None and the cursor back where it stood.

        A reading with a name that failed at a token once is not tried there again: nested ones would else be tried
        anew for every reading of what stands around them, twice as often with every level.
        """
        at, complaints = self.at, len(self.complaints)
        if name and (name, at) in self.failed:
            return None
        try:
            return reading()
        except SyntaxFailure:
            self.give_up(at, complaints, name)
            return None

    def give_up(self, at: int, complaints: int, name: str = "") -> None:
        """Back to that token and those complaints."""
        self.at = at
        del self.complaints[complaints:]
        while self.markers and self.markers[-1][0] >= self.starts[at]:
            self.markers.pop()
        if name:
            self.failed.add((name, at))

    def listed(self, item: Callable[[], T]) -> tuple[T, ...]:
        """item, item, …"""
        items = [item()]
        while self.kinds[self.at] == ",":
            self.at += 1
            items.append(item())
        return tuple(items)

    def in_parentheses(self, item: Callable[[], T]) -> tuple[T, ...]:
        self.expect("(")
        items = self.listed(item)
        self.expect(")")
        return items

    # ------------------------------------------------------------ complaints
    gives_context = True  # texts of data types are read without
    names_extra_input = True  # whether one token too much at the end is named as such

    def complain(self, condition: str, start: int, stop: int, **parameters: object) -> None:
        """An error of Spark's tree builder, told once the text is known to match."""
        contexts = (QueryContext(self.text[start:stop], start, stop - 1, text=self.text),) if self.gives_context else ()
        self.complaints.append(ParseError(condition, self.text, start, contexts, **parameters))

    def complain_plainly(self, condition: str, exception: str, start: int, **parameters: object) -> None:
        """As `complain`, without a query context, by an exception of that class."""
        error = ParseError(condition, self.text, start, (), **parameters)
        error.exception = exception
        self.complaints.append(error)

    def complain_of_query(self, condition: str, **parameters: object) -> None:
        """As `complain`, told of the whole query around it, whose end is not known yet."""
        self.complaints.append(ParseError(condition, self.text, -1, (), **parameters))

    def complain_of_statement(self, condition: str, **parameters: object) -> None:
        """As `complain`, told of the whole statement around it."""
        self.complaints.append(ParseError(condition, self.text, -2, (), **parameters))

    def settle_complaints(self, since: int, start: int, waiting: int = -1) -> None:
        """The query (-1) or statement (-2) that starts there has ended: it is what waiting complaints point at."""
        context = QueryContext(self.text[start : self.stop], start, self.stop - 1, text=self.text)
        for index, error in enumerate(self.complaints[since:], since):
            if error.offset == waiting:
                self.complaints[index] = ParseError(error.condition, self.text, start, (context,), **error.parameters)

    def complain_bang(self, at: int) -> None:
        if self.kinds[at] == "!" and not self.config.legacy_bang_equals_not:
            self.complain("SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", self.starts[at], self.stops[at], clause="!")

    def syntax_error(self, hint: str = "") -> ParseError:
        at = self.farthest
        if not self.text.strip():
            return ParseError("PARSE_EMPTY_STATEMENT", self.text, self.starts[at])
        shown = "end of input" if self.kinds[at] == "eof" else f"'{shown_token(self.tokens.word(at))}'"
        told = hint or (f": extra input {shown}" if at == self.unwanted else "")
        found = ParseError("PARSE_SYNTAX_ERROR", self.text, self.starts[at], error=shown, hint=told)
        if self._blames_elsewhere():
            raise NotNative("SQL: which token of this text is to blame is ANTLR's to say", nearest=found)
        return found

    def _blames_elsewhere(self) -> bool:
        """Beside IDENTIFIER(…), open parentheses, strings called or dotted, behind WINDOW, inside CASE and in or behind
        EXISTS (…) and FILTER (…) ANTLR may name an earlier token."""
        if 0 <= self.named_window < self.farthest:
            return True
        before = self.kinds[: self.farthest]
        if before[-1:] == ["FOR"] or before[-2:] == ["OVER", "("]:
            return True
        if before.count("CASE") > before.count("END") or {"EXISTS", "FILTER"}.intersection(before):
            return True
        pairs = zip(self.kinds, self.kinds[1:], strict=False)
        if any(pair == ("IDENTIFIER", "(") or (pair[0] == "doublequoted" and pair[1] in "(.") for pair in pairs):
            return True
        return self.kinds[self.farthest] != "eof" and self.kinds.count("(") > self.kinds.count(")")

    def whole(self, reading: Callable[[], T], *, semicolons: bool = False) -> T:
        """This reading must take every token."""
        try:
            result = reading()
        except SyntaxFailure:
            raise self._first_error() from None
        except RecursionError:
            raise NotNative("SQL: nested too deeply for the parser") from None
        while semicolons and self.take(";"):
            pass
        if self.kinds[self.at] != "eof":
            raise self._trailing_error()
        if self.tokens.unclosed_comment is not None and not self.is_raw:
            raise ParseError("UNCLOSED_BRACKETED_COMMENT", self.text, self.tokens.unclosed_comment)
        if self.complaints and self.complaints[0].condition == "IDENTIFIER_TOO_MANY_NAME_PARTS":
            raise NotNative("SQL: how much of the text a name of too many parts stands in", nearest=self.complaints[0])
        if self.complaints:
            raise self.complaints[0]
        return result

    is_raw = False  # a SET or RESET whose text is taken as it stands, comments and all

    def _first_error(self) -> ParseError:
        """Invalid names are told as soon as they are met; otherwise the place where every reading ended."""
        for complaint in self.complaints:
            if complaint.condition == "INVALID_IDENTIFIER":
                return complaint
        return self.syntax_error()

    def _trailing_error(self) -> ParseError:
        """One token too much at the end is named as such, as ANTLR does when dropping it would mend the text."""
        extra = self.kinds[self.at - 1] == ";" or self.kinds[self.at + 1] in ("eof", ";")
        extra = extra and self.farthest <= self.at and self.names_extra_input
        self.fail()
        found = self._first_error()
        if not extra or found.condition != "PARSE_SYNTAX_ERROR":
            return found
        return self.syntax_error(f": extra input '{self.tokens.word(self.at)}'")

    # ------------------------------------------------------------ names
    def is_name(self, at: int) -> bool:
        return self.kinds[at] in self.names

    def identifier(self) -> str:
        """A name of one part; keywords too, unless they are reserved."""
        at = self.at
        parts = self.identifier_parts(self.names)
        return parts[0] if len(parts) == 1 else self._single(parts, self.starts[at])

    def strict_identifier(self) -> str:
        """As `identifier`, without the words of joins and set operations: a table alias."""
        at = self.at
        parts = self.identifier_parts(self.strict_names)
        return parts[0] if len(parts) == 1 else self._single(parts, self.starts[at])

    def simple_identifier(self) -> str:
        """A name that is never IDENTIFIER('…')."""
        kind = self.kinds[self.at]
        if kind not in self.names:
            raise self.fail()
        return self._name_at(kind)

    def captured_identifier(self) -> str:
        """A name where no expression can follow, so that `a-b` is known to be a name without its quotes."""
        at = self.at
        name = self.identifier()
        self._complain_of_dashes(at)
        return name

    def _complain_of_dashes(self, at: int) -> None:
        if self.kinds[self.at] != "-" or not self.is_name(self.at + 1):
            return
        first = self.at
        while self.kinds[self.at] == "-" and self.is_name(self.at + 1):
            self.at += 2
        ident = "".join(self.tokens.word(i) for i in range(at, self.at))
        self.complaints.append(ParseError("INVALID_IDENTIFIER", self.text, self.starts[first], ident=ident))

    def identifier_parts(self, names: frozenset[str]) -> tuple[str, ...]:
        kind = self.kinds[self.at]
        if kind == "identifier":
            return (self._name_at(kind),)
        if kind == "IDENTIFIER" and self.kinds[self.at + 1] == "(" and not self.config.legacy_identifier_clause_only:
            literal = self._identifier_literal() or self._marked_identifier()
            if literal is not None:
                return literal
        if kind not in names:
            raise self.fail()
        return (self._name_at(kind),)

    def _name_at(self, kind: str) -> str:
        word = self.text[self.starts[self.at] : self.stops[self.at]]
        if kind in ("backquoted", "doublequoted"):
            word = unquote(word)
            if self.config.quoted_regex_columns and not word.replace("_", "").isalnum():
                raise NotNative("SQL: names that are patterns")
        elif not word.isascii() or "/" in word:
            self.complaints.append(ParseError("INVALID_IDENTIFIER", self.text, self.start, ident=word))
        self.at += 1
        return word

    def _identifier_literal(self) -> tuple[str, ...] | None:
        """IDENTIFIER('a.b') where a name is expected: read now."""
        if self.kinds[self.at + 2] not in self.string_kinds:
            return None
        at = self.at + 2
        value = ""
        while self.kinds[at] in self.string_kinds:
            value += unescape(self.tokens.word(at))
            at += 1
        if self.kinds[at] != ")":
            return None
        start, self.at = self.start, at + 1
        return self.parts_of(value, start)

    looks_for_markers = False  # only where markers stand, not what they mean

    def _marked_identifier(self) -> tuple[str, ...] | None:
        """IDENTIFIER(:name '.b') is a name as soon as its markers are filled."""
        at, markers = self.at + 2, []
        while self.looks_for_markers and self.kinds[at] in (*self.string_kinds, "?", ":"):
            start, is_named = self.starts[at], self.kinds[at] == ":" and self.is_name(at + 1)
            at += 2 if is_named else 1
            if self.text[start] in "?:":
                markers.append((start, self.stops[at - 1], self.tokens.word(at - 1) if is_named else ""))
        if not markers or self.kinds[at] != ")":
            return None
        self.markers += markers
        self.at = at + 1
        return ("marked",)

    def parts_of(self, value: str, start: int) -> tuple[str, ...]:
        """The parts of a name given as a string, between that offset and here."""
        inner = Cursor(value, self.config)
        try:
            return inner.whole(inner.multipart_identifier).parts
        except ParseError as error:
            self.complain(error.condition, start, self.stop, **error.parameters)
            return (value,)

    def _single(self, parts: tuple[str, ...], start: int) -> str:
        shown = ".".join(f"`{part.replace('`', '``')}`" for part in parts)
        self.complain("IDENTIFIER_TOO_MANY_NAME_PARTS", start, self.stop, identifier=shown, limit="1")
        return parts[0]

    def multipart_identifier(self) -> Name:
        start = self.start
        parts = self._captured_parts()
        while self.kinds[self.at] == "." and self.is_name(self.at + 1):
            self.at += 1
            if self.config.legacy_identifier_clause_only and self.peek("IDENTIFIER", "("):
                raise self.fail(self.at + 1)
            parts += self._captured_parts()
        return Name(start, self.stop, parts)

    def _captured_parts(self) -> tuple[str, ...]:
        at = self.at
        parts = self.identifier_parts(self.names)
        if self.kinds[self.at] == "-":
            self._complain_of_dashes(at)
        return parts

    def identifier_list(self) -> tuple[str, ...]:
        return self.in_parentheses(self.captured_identifier)

    def identifier_sequence(self) -> tuple[str, ...]:
        return self.listed(self.captured_identifier)


def shown_token(word: str) -> str:
    """As ANTLR shows a token in its messages."""
    return word.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
