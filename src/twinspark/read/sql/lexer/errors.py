"""Errors of the SQL parser, with the message text and the positions of Spark's ParseException."""

from twinspark.errors import QueryContext, SparkError

_MAX_EXTRA = 32  # characters of a line shown around a fragment: SQLQueryContext.summary


class ParseError(SparkError):
    """An error of Spark's parser: `line` counts from 1, `position` from 0, as in its message.

    `exception` is the Java class; a few checks inside Spark's parser throw others than ParseException."""

    exception = "ParseException"
    has_position = True  # errors of Spark's types, which know no position, are reported with the statement alone

    def __init__(
        self,
        condition: str,
        text: str,
        offset: int,
        contexts: tuple[QueryContext, ...] = (),
        **parameters: object,
    ) -> None:
        super().__init__(condition, contexts=contexts, **parameters)
        self.text = text
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.position = offset - (text.rfind("\n", 0, offset) + 1)

    def __str__(self) -> str:
        message = str(self.args[0]).removeprefix(f"[{self.condition}] " if "_LEGACY_" in self.condition else "")
        if self.exception == "SqlScriptingException":
            return f"{{LINE:{self.line}}} {message}"
        if self.exception != "ParseException":
            return message
        if self.contexts:
            return f"\n{message}\n{self._summary()}"
        if not self.has_position:
            return f"\n{message}\n== SQL ==\n{self.text}"
        return f"\n{message} (line {self.line}, pos {self.position})\n\n== SQL ==\n{self._position_text()}"

    def _position_text(self) -> str:
        lines = self.text.split("\n")
        arrow = "-" * self.position + "^^^"
        return "\n".join([*lines[: self.line], arrow, *lines[self.line :], ""])

    def _summary(self) -> str:
        context = self.contexts[0]
        first, last = context.start_index, context.stop_index
        before = self.text.rfind("\n", 0, first)
        after = self.text.find("\n", last)
        after = len(self.text) if after < 0 else after
        cut_before, cut_after = first - before > _MAX_EXTRA, after - last > _MAX_EXTRA
        before = max(before, first - _MAX_EXTRA - 1)
        after = min(after, last + _MAX_EXTRA + 1)
        excerpt = ("..." if cut_before else "") + self.text[before + 1 : after] + ("..." if cut_after else "")
        index = before + 1 - (3 if cut_before else 0)
        out = [f"== SQL (line {self.line}, position {self.position + 1}) =="]
        for line in excerpt.split("\n"):
            marks = [" " if at < first else "^" for at in range(index, index + len(line)) if at <= last]
            out += [line, "".join(marks)]
            index += len(line) + 1
        return "\n".join([*out, ""])


def too_complex(text: str) -> ParseError:
    """Spark's parser fails at 300 to 2,000 levels of nesting, depending on the syntax
    (docs/decisions/interrupts.md)."""
    stripped = text.strip()
    start = text.index(stripped)
    context = QueryContext(stripped, start, start + len(stripped) - 1, text=text)
    return ParseError("FAILED_TO_PARSE_TOO_COMPLEX", text, start, (context,))


class SyntaxFailure(Exception):
    """The tokens do not match here. The cursor records the farthest position that any rule reached."""
