"""A cache of recently parsed statements, since a request is classified, checked and read from the same tree."""

import threading
from collections import OrderedDict

from twinspark.read.sql.lexer.config import ParserConfig
from twinspark.read.sql.tree import Statement

MOST_CHARACTERS = 100_000  # of all texts together; their trees take up to a hundred times as many bytes


class RecentStatements:
    """Trees are immutable, so all readers of a text may share one."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[ParserConfig, Statement]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def find(self, text: str, config: ParserConfig) -> Statement | None:
        """A session's settings are an immutable snapshot: the same object means the same settings."""
        known, statement = self._known.get(text, (None, None))
        return statement if known is not None and known.settings is config.settings and known == config else None

    def keep(self, text: str, config: ParserConfig, statement: Statement) -> None:
        if len(text) > MOST_CHARACTERS:
            return
        with self._lock:
            self._characters += 0 if text in self._known else len(text)
            self._known[text] = config, statement
            self._known.move_to_end(text)
            while self._characters > MOST_CHARACTERS:
                self._characters -= len(self._known.popitem(last=False)[0])


RECENT = RecentStatements()
