"""Reads what a person types: with prompt_toolkit if it is installed, otherwise with readline."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twinspark.cli.shell.completion import Names
from twinspark.cli.shell.shell import Shell
from twinspark.cli.shell.statements import is_blank, is_complete

PROMPT, MORE = "twinspark> ", "        -> "
KEPT_LINES = 10_000


def history_file() -> Path:
    """By the XDG convention for state; the directory is created."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    place = state / "twinspark" / "sql_history"
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def interact(shell: Shell) -> None:
    print("twinspark sql: statements end with ;  .help lists commands", file=sys.stderr)
    for text in inputs(shell.names):
        if not is_blank(text):
            shell.run_input(text)
        if shell.has_ended:
            return


def inputs(names: Names) -> Iterator[str]:
    """Complete inputs, until the person ends with Ctrl-D."""
    try:
        from twinspark.cli.shell.editor import edited_inputs
    except ImportError:  # the extra `shell` is not installed
        return plain_inputs(names)
    return edited_inputs(names, history_file())


def plain_inputs(names: Names) -> Iterator[str]:
    with contextlib.suppress(ImportError):  # Python may be built without readline
        use_readline(names)
    while True:
        try:
            yield typed_lines()
        except EOFError:
            print(file=sys.stderr)
            return
        except KeyboardInterrupt:
            print(file=sys.stderr)


def typed_lines() -> str:
    lines = [input(PROMPT)]
    while not lines[0].lstrip().startswith(".") and not is_complete("\n".join(lines)):
        lines.append(input(MORE))
    return "\n".join(lines)


def use_readline(names: Names) -> None:
    import atexit
    import readline

    file = str(history_file())
    with contextlib.suppress(OSError):  # there is none yet
        readline.read_history_file(file)
    readline.set_history_length(KEPT_LINES)
    atexit.register(readline.write_history_file, file)
    readline.set_completer_delims(" \t\n,()=<>;")
    readline.set_completer(lambda word, state: nth_completion(names, readline, state))
    readline.parse_and_bind("tab: complete")


def nth_completion(names: Names, readline: Any, state: int) -> str | None:
    _, found = names.completions(readline.get_line_buffer()[: readline.get_endidx()])
    return found[state] if state < len(found) else None
