"""The prompt with prompt_toolkit: several lines, colours, history with search, completion while typing."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import Completer, Completion, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from twinspark.cli.shell.completion import Names
from twinspark.cli.shell.statements import is_complete

PROMPT, MORE = "twinspark> ", "        -> "


class NameCompleter(Completer):  # type: ignore[misc]
    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(self, document: Document, complete_event: Any) -> Iterable[Completion]:
        word, found = self._names.completions(document.text_before_cursor)
        yield from (Completion(name, start_position=-len(word)) for name in found)


def edited_inputs(names: Names, history: Path) -> Iterator[str]:
    """Complete inputs, until the person ends with Ctrl-D; Ctrl-C drops what is typed."""
    history.touch(mode=0o600, exist_ok=True)
    session = prompt_session(names, history)
    while True:
        try:
            yield session.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def prompt_session(names: Names, history: Path) -> "PromptSession[str]":
    return PromptSession(
        history=FileHistory(str(history)),
        completer=ThreadedCompleter(NameCompleter(names)),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=PygmentsLexer(SqlLexer),
        multiline=True,
        prompt_continuation=MORE,
        key_bindings=key_bindings(),
        enable_open_in_editor=True,
        mouse_support=False,
        include_default_pygments_style="NO_COLOR" not in os.environ,
    )


def key_bindings() -> KeyBindings:
    """Enter runs a complete statement, and begins a new line in an incomplete one."""
    bindings = KeyBindings()
    is_waiting = has_focus("DEFAULT_BUFFER") & Condition(is_ready)
    bindings.add("enter", filter=is_waiting)(lambda event: event.current_buffer.validate_and_handle())
    return bindings


def is_ready() -> bool:
    text = get_app().current_buffer.text
    return text.lstrip().startswith(".") or is_complete(text)
