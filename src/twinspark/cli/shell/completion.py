"""Names that complete a statement: keywords, functions, schemas, tables, and the columns of tables in the text."""

import re
import threading

from twinspark.cli.shell.session import ShellSession, StatementFailed
from twinspark.read.sql.lexer.keywords import KEYWORDS
from twinspark.types import quote_identifier

WORD = re.compile(r"[\w.`]*$")
NAME = re.compile(r"[\w.]+")
AFTER_TABLE_WORD = re.compile(r"\b(?:from|join|into|table|describe|desc|update|view)\s+[\w.]*$", re.IGNORECASE)
PLAIN = re.compile(r"[A-Za-z_]\w*")
MOST = 200


class Names:
    """The names that a session knows; tables are listed again after each statement that may change them."""

    def __init__(self, session: ShellSession) -> None:
        self._session = session
        self._functions: list[str] | None = None
        self._tables: list[str] | None = None
        self._columns: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def forget_tables(self) -> None:
        self._tables, self._columns = None, {}

    def completions(self, text: str) -> tuple[str, list[str]]:
        """The word before the cursor, and the names that begin with it."""
        if text.lstrip().startswith("."):
            return completed_command(text)
        found = WORD.search(text)
        word = found[0] if found else ""
        with self._lock:
            names = self._tables_now() if AFTER_TABLE_WORD.search(text) else self._all_names(text, word)
        lower = word.lower()
        return word, [name for name in dict.fromkeys(names) if name.lower().startswith(lower) and name != word][:MOST]

    def _all_names(self, text: str, word: str) -> list[str]:
        """Keywords have the case of the word that is typed."""
        keywords = sorted(KEYWORDS)
        cased = [each.lower() for each in keywords] if word.islower() or not word else keywords
        return [*self._columns_in(text), *self._tables_now(), *cased, *self._functions_now()]

    def _tables_now(self) -> list[str]:
        if self._tables is None:
            rows = self._listing("SHOW TABLES")
            schemas = [display_name(row[0]) for row in self._listing("SHOW SCHEMAS")]
            self._tables = sorted({*(display_name(row[1]) for row in rows), *schemas})
        return self._tables

    def _functions_now(self) -> list[str]:
        if self._functions is None:
            self._functions = [row[0] for row in self._listing("SHOW FUNCTIONS") if PLAIN.fullmatch(row[0])]
        return self._functions

    def _columns_in(self, text: str) -> list[str]:
        tables = {word for word in NAME.findall(text) if word.lower() in map(str.lower, self._tables_now())}
        return [column for table in sorted(tables) for column in self._columns_of(table)]

    def _columns_of(self, table: str) -> list[str]:
        if table not in self._columns:
            rows = self._listing(f"DESCRIBE TABLE {table}")
            self._columns[table] = [display_name(row[0]) for row in rows if row[0] and not row[0].startswith("#")]
        return self._columns[table]

    def _listing(self, statement: str) -> list[tuple[str, ...]]:
        """Nothing where the listing fails: completion never disturbs."""
        try:
            return self._session.rows(statement)
        except StatementFailed:
            return []


def display_name(name: str) -> str:
    return name if PLAIN.fullmatch(name) else quote_identifier(name)


COMMANDS = (".exit", ".explain", ".help", ".mode", ".pager", ".quit", ".read", ".rows", ".tables", ".timer", ".why")


def completed_command(text: str) -> tuple[str, list[str]]:
    word = text.lstrip()
    return word, [each for each in COMMANDS if each.startswith(word) and each != word]
