"""The command itself: an interactive shell, a statement (-c), a file (-f) or what is piped in."""

import sys
from pathlib import Path

from pyspark.logger import PySparkLogger

from twinspark.cli.shell.prompt import interact
from twinspark.cli.shell.session import ShellSession
from twinspark.cli.shell.shell import Output, Shell
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


def run_shell(settings: Settings, remote: str | None, command: str | None, file: Path | None, output: Output) -> int:
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True  # the shell prints errors itself
    server = ConnectServer(settings) if remote is None else None
    try:
        session = ShellSession(remote or (server.url if server is not None else ""), server)
        try:
            return work(Shell(session, output), command, file)
        finally:
            session.close()
    finally:
        if server is not None:
            server.stop()


def work(shell: Shell, command: str | None, file: Path | None) -> int:
    """The exit code."""
    if command is not None:
        return 0 if shell.run_input(command) else 1
    if file is not None:
        return 0 if shell.run_file(file) else 1
    if not sys.stdin.isatty():
        return 0 if shell.run_input(sys.stdin.read()) else 1
    interact(shell)
    return 0
