"""Expression forms with keywords of their own: CASE, CAST, EXTRACT, TRIM, DATEADD with a unit and their like."""

from collections.abc import Callable

from twinspark.read.sql.failures import SyntaxFailure
from twinspark.read.sql.keywords import words
from twinspark.read.sql.tree import (
    BooleanLiteral,
    Case,
    Cast,
    CurrentLike,
    Expression,
    Extract,
    FirstLast,
    NullLiteral,
    Overlay,
    Position,
    Struct,
    Substring,
    TimestampAdd,
    TimestampDiff,
    Trim,
)
from twinspark.read.sql.windows import Windows

_UNITS = words("YEAR QUARTER MONTH WEEK DAY DAYOFYEAR HOUR MINUTE SECOND MILLISECOND MICROSECOND")
# Behind these a special form was only a call of the same name after all.
_CALL_SUFFIX = {"OVER": None, "FILTER": "(", "WITHIN": "GROUP", "IGNORE": "NULLS", "RESPECT": "NULLS"}
_NAME_GOES_ON = ("(", ".", "->")


class Forms(Windows):
    """The layer of forms that look like calls but are not; each gives None when its word is only a name."""

    def _special(self, reading: Callable[[], Expression]) -> Expression | None:
        """A form of its own if the tokens match it and no call goes on behind it; else None."""
        at, complaints = self.at, len(self.complaints)
        found = self.attempt(reading, "form")
        if found is not None and self._is_call_suffix():
            self.give_up(at, complaints, "form")
            return None
        return found

    def _is_call_suffix(self) -> bool:
        kind = self.kinds[self.at]
        if kind not in _CALL_SUFFIX:
            return False
        needed = _CALL_SUFFIX[kind]
        second = self.kinds[self.at + 1]
        return second == needed if needed else second == "(" or (self.is_name(self.at + 1) and second != "FROM")

    def _null(self) -> Expression | None:
        if self.kinds[self.at + 1] in _NAME_GOES_ON:
            return None
        self.at += 1
        return NullLiteral(self.starts[self.at - 1], self.stop)

    def _boolean(self) -> Expression | None:
        if self.kinds[self.at + 1] in _NAME_GOES_ON:
            return None
        self.at += 1
        return BooleanLiteral(self.starts[self.at - 1], self.stop, self.kinds[self.at - 1] == "TRUE")

    def _interval_form(self) -> Expression | None:
        return self.interval() if self.is_interval() else None

    def _current_like(self) -> Expression | None:
        if self.kinds[self.at + 1] in _NAME_GOES_ON:
            return None
        kind = self.kinds[self.at]
        self.at += 1
        return CurrentLike(self.starts[self.at - 1], self.stop, kind, self.tokens.word(self.at - 1))

    def _cast(self) -> Expression | None:
        def reading() -> Expression:
            start, form = self.start, self.kinds[self.at]
            self.at += 1
            self.expect("(")
            child = self.expression()
            self.expect("AS")
            data_type = self.data_type()
            self.expect(")")
            return Cast(start, self.stop, form, child, data_type)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _case(self) -> Expression | None:
        if self.kinds[self.at + 1] in ("eof", ",", ")", ".", ";", "="):
            return None
        return self.attempt(self._case_form, "case")

    def _case_form(self) -> Expression:
        start = self.start
        self.expect("CASE")
        searched = self.attempt(self._branches, "branches") if self.kinds[self.at] == "WHEN" else None
        value = None
        if searched is None:
            value = self.expression()
            searched = self._branches()
        otherwise = self.expression() if self.take("ELSE") else None
        self.expect("END")
        return Case(start, self.stop, value, searched, otherwise)

    def _branches(self) -> tuple[tuple[Expression, Expression], ...]:
        branches = []
        self.expect("WHEN")
        while True:
            condition = self.expression()
            self.expect("THEN")
            branches.append((condition, self.expression()))
            if not self.take("WHEN"):
                return tuple(branches)

    def _struct(self) -> Expression | None:
        def reading() -> Expression:
            start = self.start
            self.expect("STRUCT", "(")
            fields = () if self.peek(")") else self.named_expressions()
            self.expect(")")
            return Struct(start, self.stop, fields)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _first_last(self) -> Expression | None:
        def reading() -> Expression:
            start, function = self.start, self.kinds[self.at]
            self.at += 1
            self.expect("(")
            child = self.expression()
            ignore_nulls = self.take("IGNORE", "NULLS")
            self.expect(")")
            return FirstLast(start, self.stop, function, child, ignore_nulls)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _position(self) -> Expression | None:
        def reading() -> Expression:
            start = self.start
            self.expect("POSITION", "(")
            substring = self.value()
            self.expect("IN")
            string = self.value()
            self.expect(")")
            return Position(start, self.stop, substring, string)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _extract(self) -> Expression | None:
        def reading() -> Expression:
            start = self.start
            self.expect("EXTRACT", "(")
            field = self.simple_identifier()
            self.expect("FROM")
            source = self.value()
            self.expect(")")
            return Extract(start, self.stop, field, source)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _substring(self) -> Expression | None:
        def reading() -> Expression:
            start = self.start
            self.at += 1
            self.expect("(")
            string = self.value()
            first = self.expect_any("FROM", ",")
            position = self.value()
            second = self.take_any("FOR", ",")
            length = self.value() if second else None
            self.expect(")")
            if first == "," and second != "FOR":
                raise SyntaxFailure  # with commas alone it is a call
            return Substring(start, self.stop, string, position, length)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _trim(self) -> Expression | None:
        def reading() -> Expression:
            start = self.start
            self.expect("TRIM", "(")
            option = ""
            if self.kinds[self.at + 1] not in (",", ")"):
                option = self.take_any("BOTH", "LEADING", "TRAILING")
            characters = None
            if self.kinds[self.at] != "FROM" or self.kinds[self.at + 1] == "FROM":
                characters = self.value()
            self.expect("FROM")
            source = self.value()
            self.expect(")")
            return Trim(start, self.stop, option, characters, source)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _overlay(self) -> Expression | None:
        def reading() -> Expression:
            start = self.start
            self.expect("OVERLAY", "(")
            source = self.value()
            self.expect("PLACING")
            replace = self.value()
            self.expect("FROM")
            position = self.value()
            length = self.value() if self.take("FOR") else None
            self.expect(")")
            return Overlay(start, self.stop, source, replace, position, length)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _timestamp_function(self) -> Expression | None:
        """DATEADD(unit, quantity, timestamp), DATEDIFF(unit, begin, end) and their names."""

        def reading() -> Expression:
            start, function = self.start, self.kinds[self.at]
            name = self.tokens.word(self.at)
            self.at += 1
            self.expect("(")
            unit = self._unit(start, name)
            self.expect(",")
            first = self.value()
            self.expect(",")
            second = self.value()
            self.expect(")")
            self._complain_of_unit(unit, start, name)
            if function in ("TIMESTAMPADD", "DATEADD", "DATE_ADD"):
                return TimestampAdd(start, self.stop, function, unit, first, second)
            return TimestampDiff(start, self.stop, function, unit, first, second)

        return self._special(reading) if self.kinds[self.at + 1] == "(" else None

    def _unit(self, start: int, name: str) -> str:
        if self.kinds[self.at] in _UNITS:
            self.at += 1
            return self.tokens.word(self.at - 1)
        if not self.is_string(self.at):
            raise self.fail()
        begin = self.at
        self.string()
        return self.text[self.starts[begin] : self.stop]

    def _complain_of_unit(self, unit: str, start: int, name: str) -> None:
        if unit[0] in "'\"rR":
            self.complain(
                "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                start,
                self.stop,
                functionName=f"`{name}`",
                parameter="`unit`",
                invalidValue=unit,
            )

    def _identifier_form(self) -> Expression | None:
        if self.kinds[self.at + 1] != "(":
            return None
        return self._special(self.identifier_expression)


SPECIAL: dict[str, Callable[[Forms], Expression | None]] = {
    "NULL": Forms._null,
    "TRUE": Forms._boolean,
    "FALSE": Forms._boolean,
    "INTERVAL": Forms._interval_form,
    "CASE": Forms._case,
    "CAST": Forms._cast,
    "TRY_CAST": Forms._cast,
    "STRUCT": Forms._struct,
    "FIRST": Forms._first_last,
    "LAST": Forms._first_last,
    "ANY_VALUE": Forms._first_last,
    "POSITION": Forms._position,
    "EXTRACT": Forms._extract,
    "SUBSTR": Forms._substring,
    "SUBSTRING": Forms._substring,
    "TRIM": Forms._trim,
    "OVERLAY": Forms._overlay,
    "IDENTIFIER": Forms._identifier_form,
    **dict.fromkeys(
        ["TIMESTAMPADD", "DATEADD", "DATE_ADD", "TIMESTAMPDIFF", "DATEDIFF", "DATE_DIFF", "TIMEDIFF"],
        Forms._timestamp_function,
    ),
    **dict.fromkeys(
        ["CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER", "USER", "SESSION_USER", "CURRENT_TIME", "CURRENT_PATH"],
        Forms._current_like,
    ),
}
