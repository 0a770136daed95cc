"""Defines QueryContext: the fragment of a query that an error points at, and its summary below the error message."""

from collections.abc import Iterator
from dataclasses import dataclass, field

NEAR = 32  # characters of the statement that the summary shows before and after the fragment


@dataclass(frozen=True)
class QueryContext:
    """The fragment of the user's SQL or code that an error points at, as Spark reports it."""

    fragment: str = ""
    start_index: int = -1
    stop_index: int = -1
    object_type: str = ""
    object_name: str = ""
    call_site: str = ""
    is_dataframe: bool = False
    text: str = field(default="", compare=False, repr=False)  # the whole statement, where it is known
    has_line: bool = True  # Spark reports no line for a fragment inside the text of a parameter

    @property
    def summary(self) -> str:
        """The text that Spark shows below the error message."""
        if self.is_dataframe:
            return f'== DataFrame ==\n"{self.fragment}" was called from\n{self.call_site}\n'
        return "".join(f"{line}\n" for line in self.summary_lines()) if self.text and self.stop_index >= 0 else ""

    @property
    def line_and_column(self) -> tuple[int, int] | None:
        """The line, counted from 1, and the column in it, counted from 0; None if the SQL text is not known."""
        if self.is_dataframe or not self.text or self.start_index < 0 or not self.has_line:
            return None
        start = self.start_index
        return self.text.count("\n", 0, start) + 1, start - self.text.rfind("\n", 0, start) - 1

    def summary_lines(self) -> Iterator[str]:
        """The lines that contain the fragment, each with a line of carets below; text farther away than NEAR is
        cut off (SQLQueryContext.summary)."""
        yield (
            f"== SQL (line {self.line_and_column[0]}, position {self.line_and_column[1] + 1}) =="
            if self.line_and_column
            else "== SQL =="
        )
        first = max(self.text.rfind("\n", 0, self.start_index) + 1, 0)
        last = self.text.find("\n", self.stop_index)
        last = len(self.text) if last < 0 else last
        cut_before, cut_after = self.start_index - first >= NEAR, last - self.stop_index > NEAR
        first = self.start_index - NEAR if cut_before else first
        last = self.stop_index + NEAR + 1 if cut_after else last
        shown = ("..." if cut_before else "") + self.text[first:last] + ("..." if cut_after else "")
        offset = first - (3 if cut_before else 0)
        for each in shown.split("\n"):
            yield each
            offsets = range(offset, offset + len(each))
            yield "".join(" " if i < self.start_index else "^" for i in offsets if i <= self.stop_index)
            offset += len(each) + 1
