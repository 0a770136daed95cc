"""String literals where the grammar wants one: adjacent ones join, parameter markers may stand among them."""

from twinspark.read.sql.cursor import Cursor
from twinspark.read.sql.tokens import unescape
from twinspark.read.sql.tree import CoalescedString, Expression, Parameter, StringLiteral


class Strings(Cursor):
    """The layer that reads strings and parameter markers."""

    def is_string(self, at: int) -> bool:
        return self.kinds[at] in self.string_kinds

    def is_marker(self, at: int) -> bool:
        kind = self.kinds[at]
        return kind == "?" or (kind == ":" and self.is_name(at + 1))

    def is_string_or_marker(self, at: int) -> bool:
        return self.is_string(at) or (not self.config.legacy_parameters_constants_only and self.is_marker(at))

    def one_string(self) -> str:
        if not self.is_string(self.at):
            raise self.fail()
        self.at += 1
        return self.unescaped(self.at - 1)

    def unescaped(self, at: int) -> str:
        word = self.tokens.word(at)
        if self.config.escaped_string_literals:
            return word[2:-1] if word[0] in "rR" else word[1:-1]
        return unescape(word)

    def marker(self) -> Parameter:
        start, name = self.start, ""
        if not self.take("?"):
            self.expect(":")
            name = self.simple_identifier()
        self.markers.append((start, self.stop, name))
        return Parameter(start, self.stop, name)

    def string(self) -> Expression:
        """One string, whatever it was joined from."""
        if not self.is_string_or_marker(self.at):
            raise self.fail()
        start = self.start
        if self.is_string(self.at) and not self.is_string_or_marker(self.at + 1):
            return StringLiteral(start, self.stops[self.at], self.one_string())
        parts: list[Expression] = []
        while self.is_string_or_marker(self.at):
            begin = self.start
            parts.append(StringLiteral(begin, self.stops[self.at], self.one_string()) if self.is_string(self.at)
                         else self.marker())  # fmt: skip
        literals = [part for part in parts if isinstance(part, StringLiteral)]
        if len(literals) == len(parts):
            return StringLiteral(start, self.stop, "".join(literal.value for literal in literals))
        return parts[0] if len(parts) == 1 else CoalescedString(start, self.stop, tuple(parts))

    def string_value(self) -> str:
        """A string in a command: markers there are left as they are written."""
        found = self.string()
        return found.value if isinstance(found, StringLiteral) else self.text[found.start : found.stop]
