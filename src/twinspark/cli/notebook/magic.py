"""The magic commands `%sql` and `%%sql`: a statement runs in the notebook's session, and its rows are shown."""

import argparse
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import HTML, display
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.cli.notebook import html
from twinspark.cli.notebook.chart import KINDS, ChartError, draw
from twinspark.cli.notebook.progress import ProgressBar
from twinspark.cli.run import error_text
from twinspark.cli.shell.session import decision_of
from twinspark.doors.connect.embedded import open_session
from twinspark.read.sql import parameter_markers

SHOWN_ROWS = 100


class Parser(argparse.ArgumentParser):
    """Reports wrong options as errors of the cell, instead of ending the kernel."""

    def error(self, message: str) -> Any:
        raise UsageError(message)


def option_parser() -> Parser:
    parser = Parser(prog="%%sql", add_help=False)
    parser.add_argument("name", nargs="?", help="variable that gets the DataFrame")
    parser.add_argument("--chart", choices=KINDS, help="draw the second column over the first")
    parser.add_argument("--x", help="column of the labels")
    parser.add_argument("--y", help="column of the values")
    parser.add_argument("--rows", type=int, default=SHOWN_ROWS, help="how many rows are shown")
    parser.add_argument("--remote", help="sc:// address to use from now on")
    parser.add_argument("--engine", help="engine of the embedded server to use from now on")
    return parser


@magics_class
class SqlMagics(Magics):  # type: ignore[misc]
    """One session for the whole notebook: `spark`, if the notebook has one."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._session: SparkSession | None = None

    @line_cell_magic  # type: ignore[untyped-decorator]
    def sql(self, line: str, cell: str | None = None) -> Any:
        """`df = %sql select …` returns the DataFrame; `%%sql [NAME] [--chart bar]` shows rows, and sets NAME."""
        if cell is None:
            return self.frame_of(self.session(None, None), line)
        options = option_parser().parse_args(shlex.split(line))
        session = self.session(options.remote, options.engine)
        self.run_cell(session, cell.strip().removesuffix(";"), options)
        return None

    def session(self, remote: str | None, engine: str | None) -> SparkSession:
        if remote is not None:
            self._session = SparkSession.builder.remote(remote).create()
        elif engine is not None:
            self._session = open_session(engine=engine, port=0)
        elif self._session is None or self._session.is_stopped:
            known = self.shell.user_ns.get("spark")
            self._session = known if hasattr(known, "registerProgressHandler") else open_session(port=0)
        return self._session

    def frame_of(self, session: SparkSession, statement: str) -> Any:
        arguments = named_arguments(statement, self.shell.user_ns)
        return session.sql(statement, arguments) if arguments else session.sql(statement)

    def run_cell(self, session: SparkSession, statement: str, options: Any) -> None:
        began = time.monotonic()
        try:
            with ProgressBar(session):
                frame = self.frame_of(session, statement)
                rows = frame.limit(options.rows + 1).toArrow() if frame.columns else None
        except PySparkException as error:
            display(HTML(html.error(error_text(error))))
            raise UsageError(str(error).splitlines()[0]) from None
        seconds, decision = time.monotonic() - began, decision_of(session)
        if options.name:
            self.shell.user_ns[options.name] = frame
        if rows is None:
            display(HTML(html.badge(decision, seconds, "done")))
            return
        count = f"{rows.num_rows} rows" if rows.num_rows <= options.rows else f"first {options.rows} rows"
        shown = rows.slice(0, options.rows)
        content = chart_of(shown, options) if options.chart else html.table(shown, frame.schema)
        display(HTML(html.badge(decision, seconds, count) + content))


def named_arguments(statement: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Markers `:name` take the value of the notebook's variable of that name."""
    names = {name for _, _, name in parameter_markers(statement) if name} if ":" in statement else set()
    missing = sorted(name for name in names if name not in known)
    if missing:
        raise UsageError(f"there is no variable {missing[0]} for the parameter :{missing[0]}")
    return {name: known[name] for name in names}


def chart_of(rows: Any, options: Any) -> str:
    x, y = options.x or rows.column_names[0], options.y or rows.column_names[-1]
    try:
        labels, values = (column_values(rows, name) for name in (x, y))
        return draw(options.chart, labels, values, x, y)
    except ChartError as error:
        raise UsageError(str(error)) from None


def column_values(rows: Any, name: str) -> Sequence[Any]:
    if name not in rows.column_names:
        raise ChartError(f"there is no column {name}; there are {', '.join(rows.column_names)}")
    return list(rows.column(name).to_pylist())
