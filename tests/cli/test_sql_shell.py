"""`twinspark sql` as a person uses it: typed into a terminal, in pipes, with files, and completed by shells."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyarrow.parquet
import pytest

from twinspark.cli.shell.statements import is_blank, is_complete
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

TWINSPARK = [sys.executable, "-m", "twinspark"]
SECONDS = 120
PROMPT = "twinspark>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    opened = ConnectServer(Settings(engine="duckdb", port=0, warehouse=str(tmp_path_factory.mktemp("warehouse"))))
    yield opened
    opened.stop()


def sql(server: ConnectServer, *words: str, text: str | None = None) -> "subprocess.CompletedProcess[str]":
    command = [*TWINSPARK, "sql", "--remote", server.url, *words]
    return subprocess.run(command, capture_output=True, text=True, input=text, timeout=SECONDS, check=False)


class Terminal:
    """A shell in a terminal of its own."""

    def __init__(self, state: Path, *words: str, **variables: str) -> None:
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(state),
            "TERM": "xterm",
            "NO_COLOR": "1",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            **variables,
        }
        command = [*TWINSPARK[1:], "sql", *words]
        self.child: Any = pexpect.spawn(
            sys.executable, command, env=environment, encoding="utf-8", timeout=SECONDS, dimensions=(40, 200)
        )
        self.child.expect(PROMPT)

    def type(self, text: str, *expected: str) -> str:
        """Types a line, and waits for each pattern in what follows."""
        self.child.send(text + "\r")
        printed = ""
        for pattern in expected:
            self.child.expect(pattern)
            printed += self.child.before + self.child.after
        return printed

    def end(self) -> None:
        self.child.sendline(".exit")
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.exitstatus == 0


@pytest.fixture
def terminal(server: ConnectServer, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path, "--remote", server.url)
    yield opened
    opened.end()


def test_a_statement_over_several_lines(terminal: Terminal) -> None:
    terminal.type("select 'a;b' s, -- one;", "->")
    printed = terminal.type("  41 + 1 answer;", r"a;b +\| +42", r"\d+\.\d+ s on duckdb")
    assert "answer" in printed


def test_errors_show_their_position_and_the_shell_goes_on(terminal: Terminal) -> None:
    terminal.type("select 1/0;", "DIVIDE_BY_ZERO", r"== SQL \(line 1, position 8\) ==", r"\^\^\^")
    terminal.type("selec 1;", "PARSE_SYNTAX_ERROR")
    terminal.type("select 7 * 6;", "42")


def test_commands(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(".help", r"\.explain STATEMENT")
    terminal.type("select 1 x;", r"s on duckdb")
    terminal.type(".why", r"duckdb: \[\w+\]")
    terminal.type(".explain select id from range(3)", "Plan ==")
    terminal.type(".nonsense", "there is no command .nonsense")
    terminal.type(".mode json", PROMPT)
    terminal.type("select 1 x, null y;", r'\{"x":1,"y":null\}')
    terminal.type(f".mode parquet {tmp_path}/rows.parquet", PROMPT)
    terminal.type("select id from range(5);", "5 rows in")
    assert pyarrow.parquet.read_table(tmp_path / "rows.parquet").column("id").to_pylist() == [0, 1, 2, 3, 4]
    terminal.type(".mode parquet", ".mode takes")


def test_names_are_completed(terminal: Terminal) -> None:
    """The terminal prints only what a completion adds; that it is right shows when the statement runs."""
    terminal.type("create or replace temporary view completed_view as select 1 special_column;", r"\d s on")
    for typed, added, rest, expected in (
        ("select 40 + 2 from completed_v", "iew", ";", "42"),
        ("select 43 from completed_view where special_c", "olumn", " = 1;", "43"),
        ("select array_posi", "tion", "(array(7, 44), 44) + 43;", "45"),
    ):
        terminal.child.send(typed)
        terminal.child.expect(typed[-3:])
        terminal.child.send("\t")
        terminal.child.expect(added)
        terminal.child.send(rest + "\r")
        terminal.child.expect(expected)
        terminal.child.expect(r"\d s on")


def test_a_running_statement_is_interrupted(terminal: Terminal, server: ConnectServer) -> None:
    terminal.child.send("select count(*) from range(30000000000) where id % 7 = 3;\r")
    while not any(each.busy for each in server.sessions.all()):
        pass
    terminal.child.sendintr()
    terminal.child.expect("interrupted|OPERATION_CANCELED")
    terminal.type("select 6 * 7;", "42")


def test_history_is_kept_in_a_file_of_the_user(server: ConnectServer, tmp_path: Path) -> None:
    first = Terminal(tmp_path, "--remote", server.url)
    first.type("select 'remembered';", r"\d s on")
    first.end()
    file = tmp_path / "twinspark" / "sql_history"
    assert "select 'remembered';" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    second = Terminal(tmp_path, "--remote", server.url)
    second.child.send("\x1b[A\x1b[A")  # the line before .exit
    second.child.expect("remembered")
    second.child.send("\r")
    second.child.expect(r"\d s on")
    second.end()


def test_long_results_are_paged(server: ConnectServer, tmp_path: Path) -> None:
    opened = Terminal(tmp_path, "--remote", server.url, PAGER="sed s/^/paged:/")
    opened.type("select id from range(100);", r"paged: *99", r"\d s on")
    opened.type(".pager off", PROMPT)
    assert "paged" not in opened.type("select id from range(100);", r"\b99\b", r"\d s on")
    opened.end()


def test_without_prompt_toolkit(server: ConnectServer, tmp_path: Path) -> None:
    """The fallback to readline: a module of that name that cannot be imported hides the real one."""
    (tmp_path / "prompt_toolkit.py").write_text("raise ImportError('hidden')")
    opened = Terminal(tmp_path, "--remote", server.url, PYTHONPATH=str(tmp_path))
    opened.type("select", "->")
    opened.type("41 + 1 as answer;", "answer", "42", r"\d s on duckdb")
    opened.child.send("select array_distin\t(array(5, 5));\r")
    opened.child.expect(r"\[5\]")
    opened.end()
    assert "array_distinct" in (tmp_path / "twinspark" / "sql_history").read_text()


def test_formats_in_a_pipe(server: ConnectServer, tmp_path: Path) -> None:
    query = "select id, concat('a', id, ',\"b') s, if(id = 1, null, date'2020-02-29') d from range(2) order by id"
    table = sql(server, "-c", query)
    head = ["id | s     | d", "---+-------+-----------"]
    assert table.stdout.splitlines() == [*head, ' 0 | a0,"b | 2020-02-29', ' 1 | a1,"b | NULL']
    assert re.fullmatch(r"\d+\.\d{3} s on duckdb\n", table.stderr)
    comma = sql(server, "--format", "csv", "--no-timer", "-c", query)
    assert comma.stdout == 'id,s,d\n0,"a0,""b",2020-02-29\n1,"a1,""b",\n' and comma.stderr == ""
    lines = sql(server, "--format", "json", text=query).stdout.splitlines()
    assert [json.loads(line) for line in lines][1] == {"id": 1, "s": 'a1,"b', "d": None}
    file = tmp_path / "out.parquet"
    assert sql(server, "--format", "parquet", "--output", str(file), "-c", query).returncode == 0
    assert pyarrow.parquet.read_table(file).num_rows == 2


def test_a_table_shows_its_first_rows_only(server: ConnectServer) -> None:
    lines = sql(server, "-c", "select id from range(1001)").stdout.splitlines()
    assert len(lines) == 1003 and lines[-1].startswith("… more rows")
    assert len(sql(server, "--format", "csv", "-c", "select id from range(100000)").stdout.splitlines()) == 100_001


def test_files_and_exit_codes(server: ConnectServer, tmp_path: Path) -> None:
    file = tmp_path / "statements.sql"
    file.write_text("select 1 a;\n\nselect *\nfrom nowhere;\nselect 2 b;\n")
    ran = sql(server, "-f", str(file))
    assert ran.returncode == 1
    assert f"{file}:3: [TABLE_OR_VIEW_NOT_FOUND]" in ran.stderr and "b" not in ran.stdout
    assert sql(server, "-c", "select 1; select 2").stdout.count("\n") == 6
    assert sql(server, "--format", "xml", "-c", "select 1").returncode == 2


def test_on_an_embedded_server(tmp_path: Path) -> None:
    command = [*TWINSPARK, "sql", "--engine", "duckdb", "--warehouse", str(tmp_path), "--format", "csv"]
    ran = subprocess.run(
        [*command, "-c", "create table t (a int); insert into t values (1), (2); select sum(a) s from t"],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "s\n3\n"), ran.stderr
    explained = subprocess.run([*command, "-c", ".explain select 1 + 1"], capture_output=True, text=True, check=False)
    assert "== Engine ==" in explained.stdout and "duckdb: [" in explained.stdout


COMPLETE = [
    "select 1;",
    "select ';';",
    "select 1; -- x",
    "select `a;b`;",
    "",
    "begin select 1; end;",
    r"select 'it\'s;';",
]
INCOMPLETE = [
    "select 1", "select ';'", "select /* ; */ 1", "select 'open;", "/* open ;", "begin select 1;", "select 1 -- ;",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complete"), [*((text, True) for text in COMPLETE), *((text, False) for text in INCOMPLETE)]
)
def test_when_a_statement_is_complete(text: str, complete: bool) -> None:
    assert is_complete(text) == complete


def test_blank_input() -> None:
    assert is_blank(" ; -- nothing\n") and not is_blank("select 1") and not is_blank("'")


def test_bash_completes_commands_and_options() -> None:
    script = subprocess.run([*TWINSPARK, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    place = os.path.dirname(sys.executable)
    complete = 'COMP_WORDS=({words}); COMP_CWORD={at}; _twinspark_completion twinspark; echo "${{COMPREPLY[@]}}"'
    for words, at, expected in (("twinspark se", 1, "serve"), ("twinspark serve --flight-p", 2, "--flight-port")):
        ran = subprocess.run(
            ["bash", "-c", script + "\n" + complete.format(words=words, at=at)],
            env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert expected in ran.stdout.split(), ran.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_their_script(shell: str) -> None:
    ran = subprocess.run([*TWINSPARK, "completion", shell], capture_output=True, text=True, check=True)
    assert f"complete_{shell}" in ran.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=ran.stdout, text=True, check=True)
    variables = {"_TWINSPARK_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "twinspark se"}
    answer = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", **variables}
    named = subprocess.run(TWINSPARK, env={**os.environ, **answer}, capture_output=True, text=True, check=False)
    assert "serve" in named.stdout


def test_completion_for_no_shell() -> None:
    assert subprocess.run([*TWINSPARK, "completion", "tcsh"], capture_output=True, check=False).returncode == 2
