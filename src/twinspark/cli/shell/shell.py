"""Runs what a person or a file gives the shell: statements and dot commands."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from twinspark.cli.run import numbered_statements
from twinspark.cli.shell.completion import Names
from twinspark.cli.shell.display import FORMATS, LINES, SHOWN_ROWS, print_lines, table_lines, write_parquet
from twinspark.cli.shell.session import Answer, Decision, ShellSession, StatementFailed
from twinspark.cli.shell.statements import is_blank
from twinspark.errors import SparkError

HELP = """\
.explain STATEMENT        the plans, the SQL, the engine and every reason; nothing is run
.why                      why the last statement ran on its engine
.mode table|csv|json      how rows are printed
.mode parquet FILE        the rows of the next query go to FILE
.rows N                   how many rows a table shows
.timer on|off             the line with rows, time and engine
.pager on|off             long results through $PAGER
.tables                   tables and views of the current schema
.read FILE                run the statements of a file
.exit                     end (also .quit and Ctrl-D)
Statements end with a semicolon. Ctrl-C interrupts a running statement, or drops what is typed."""
UNKNOWN = "there is no command {0}; .help lists them"
SWITCH = {"on": True, "off": False}


class UsageError(Exception):
    """A dot command with wrong arguments."""


@dataclass
class Output:
    """How results are printed."""

    mode: str = "table"
    file: str = ""
    rows: int = SHOWN_ROWS
    timer: bool = True
    pager: bool = True


class Shell:
    """`run_text` for each complete input; False ends the shell."""

    def __init__(self, session: ShellSession, output: Output) -> None:
        self.session, self.output = session, output
        self.names = Names(session)
        self.has_ended = False
        self.last = Decision()  # of the last statement; completion runs statements too

    def run_input(self, text: str) -> bool:
        """Statements or a dot command of a person: errors are printed. Whether all succeeded."""
        try:
            if text.lstrip().startswith("."):
                self.run_command(text.strip().removesuffix(";"))
            else:
                for _, statement in numbered_statements(text):
                    self.run_statement(statement)
        except (StatementFailed, UsageError, SparkError, OSError) as error:
            print(error, file=sys.stderr)
            return False
        except KeyboardInterrupt:
            self.session.interrupt()
            print("interrupted", file=sys.stderr)
            return False
        return True

    def run_file(self, path: Path) -> bool:
        """Up to the first error, which is printed with the file and the line of its statement."""
        text = path.read_text()
        try:
            for line, statement in numbered_statements(text):
                try:
                    self.run_statement(statement)
                except StatementFailed as error:
                    print(f"{path}:{line}: {error}", file=sys.stderr)
                    return False
        except SparkError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return False
        return True

    def run_statement(self, statement: str) -> None:
        if is_blank(statement):
            return
        answer = self.session.run(statement)
        if self.output.mode == "parquet" and answer.schema.fields:
            print(f"{write_parquet(answer, self.output.file)} rows in {self.output.file}", file=sys.stderr)
        elif answer.schema.fields:
            self.print_answer(answer)
        self.names.forget_tables()
        seconds, self.last = answer.seconds, self.session.decision()
        if self.output.timer:
            print(f"{seconds:.3f} s{self.last.badge}", file=sys.stderr)

    def print_answer(self, answer: Answer) -> None:
        if self.output.mode != "table":
            print_lines(LINES[self.output.mode](answer))
            return
        lines = list(table_lines(answer, self.output.rows))
        if self.output.pager and is_too_long(lines):
            page(lines)
        else:
            print_lines(iter(lines))

    # ---- dot commands

    def run_command(self, text: str) -> None:
        name, _, rest = text.partition(" ")
        if name not in COMMANDS:
            raise UsageError(UNKNOWN.format(name))
        COMMANDS[name](self, rest.strip())

    def explain(self, rest: str) -> None:
        if not rest:
            raise UsageError(".explain takes a statement")
        print(self.session.explain(rest))

    def why(self, rest: str) -> None:
        print(self.last.text)

    def set_mode(self, rest: str) -> None:
        words = shlex.split(rest)
        if not words or words[0] not in FORMATS or (words[0] == "parquet") != (len(words) == 2):
            raise UsageError(".mode takes table, csv, json, or parquet and a file")
        self.output.mode, self.output.file = words[0], words[1] if len(words) == 2 else ""

    def set_rows(self, rest: str) -> None:
        if not rest.isdigit() or int(rest) == 0:
            raise UsageError(".rows takes a number")
        self.output.rows = int(rest)

    def set_timer(self, rest: str) -> None:
        self.output.timer = switch(".timer", rest)

    def set_pager(self, rest: str) -> None:
        self.output.pager = switch(".pager", rest)

    def list_tables(self, rest: str) -> None:
        self.run_statement("SHOW TABLES")

    def read(self, rest: str) -> None:
        self.run_file(Path(rest))

    def help(self, rest: str) -> None:
        print(HELP)

    def end(self, rest: str) -> None:
        self.has_ended = True


COMMANDS: dict[str, Callable[[Shell, str], None]] = {
    ".explain": Shell.explain,
    ".why": Shell.why,
    ".mode": Shell.set_mode,
    ".rows": Shell.set_rows,
    ".timer": Shell.set_timer,
    ".pager": Shell.set_pager,
    ".tables": Shell.list_tables,
    ".read": Shell.read,
    ".help": Shell.help,
    ".exit": Shell.end,
    ".quit": Shell.end,
}


def switch(command: str, text: str) -> bool:
    if text not in SWITCH:
        raise UsageError(f"{command} takes on or off")
    return SWITCH[text]


def is_too_long(lines: list[str]) -> bool:
    columns, height = shutil.get_terminal_size()
    is_person = sys.stdout.isatty() and sys.stdin.isatty()
    return is_person and (len(lines) >= height - 2 or max(map(len, lines), default=0) > columns)


def page(lines: list[str]) -> None:
    """Through $PAGER, or less without wrapping; printed as they are if there is none."""
    command = shlex.split(os.environ.get("PAGER", "")) or ["less", "-SRFX"]
    if shutil.which(command[0]) is None:
        print_lines(iter(lines))
        return
    subprocess.run(command, input="\n".join(lines) + "\n", text=True, check=False)
