"""Loads the DuckDB extension with Spark's functions that DuckDB's SQL cannot express exactly, written in C.

`FUNCTIONS` contains every name that the extension of this installation registers (empty if it was not built); names
of functions with DECIMAL results are without their scale suffix. `load(connection)` loads it into a database.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import duckdb

from twinspark.errors.marker import MARK
from twinspark.functions.notation import schema_texts

# The variable is for `make sanitize`, which builds to another path.
LIBRARY = Path(os.environ.get("TWINSPARK_NATIVE_LIBRARY") or Path(__file__).parent / "twinspark.duckdb_extension")


def _zones() -> Path:
    """The directory of the time zone files of Python's tzdata (pandas depends on that package)."""
    found = find_spec("tzdata")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent / "zoneinfo"


ZONES = _zones()


def _missing() -> str:
    """Why the extension cannot be used; empty when it can."""
    if not LIBRARY.exists():
        return f"{LIBRARY} is not there"
    try:
        ctypes.CDLL(str(LIBRARY))
    except OSError as failure:  # built for another platform or another C library, or cut short
        return str(failure)
    return ""


def _registered_functions() -> dict[str, str]:
    """Every function with its types, from the extension's registration tables."""
    if MISSING:
        return {}
    names = ctypes.CDLL(str(LIBRARY)).twinspark_function_names
    names.restype = ctypes.c_char_p
    return dict(line.split(" ", 1) for line in names().decode().splitlines())


MISSING: str = _missing()
SIGNATURES: dict[str, str] = _registered_functions()
FUNCTIONS: frozenset[str] = frozenset(SIGNATURES)


def available() -> bool:
    """Whether the extension was built for this installation."""
    return bool(FUNCTIONS)


def load(connection: duckdb.DuckDBPyConnection) -> bool:
    """Loads the extension into the connection's database; false when there is none.

    The database must have been opened with `allow_unsigned_extensions` (see `CONFIG`).
    """
    if not available():
        return False
    _set_error_mark()
    connection.execute(f"LOAD {_quote(LIBRARY)}")
    connection.execute(f"SELECT spark_zoneinfo({_quote(ZONES)})").fetchall()
    connection.execute("SELECT spark_memory_limit(current_setting('memory_limit'))").fetchall()
    return True


@cache
def _set_error_mark() -> None:
    """Sets the mark of errors, once for the process, by which the server recognizes errors of native functions."""
    ctypes.CDLL(str(LIBRARY)).twinspark_set_error_mark(MARK.encode())


def schema_of_json(json: str, options: str) -> str | None:
    """The result of schema_of_json, where it is needed during analysis."""
    if "spark_schema_of_json" not in FUNCTIONS:
        return None
    find = ctypes.CDLL(str(LIBRARY)).twinspark_schema_of_json
    find.restype = ctypes.c_char_p
    found = find(json.encode(), len(json.encode()), options.encode())
    return found.decode() if found is not None else None


schema_texts.use_finder(schema_of_json)


def use_java(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Sets the version of Spark's Java for the process, on which the text of doubles depends (default 17)."""
    if available():
        connection.execute(f"SELECT spark_java({version})").fetchall()


def use_memory(connection: duckdb.DuckDBPyConnection, limit: int) -> None:
    """Sets the memory limit of the process: larger values are not built (native/core/memory_check.c)."""
    if available():
        connection.execute(f"SELECT spark_process_memory({limit}::BIGINT)").fetchall()


@cache
def _cancellations() -> ctypes.PyDLL | None:
    """The functions of cancel.c, called with the GIL held, since they are short."""
    if not available():
        return None
    library = ctypes.PyDLL(str(LIBRARY))
    for function in (library.twinspark_new_cancellation, library.twinspark_use_cancellation):
        function.restype = ctypes.c_void_p
    for function in (
        library.twinspark_use_cancellation,
        library.twinspark_cancel,
        library.twinspark_release_cancellation,
    ):
        function.argtypes = [ctypes.c_void_p]
    return library


class Cancellation:
    """Cancels the native functions of one operation, even inside a row: DuckDB's interrupt acts between chunks of
    rows."""

    def __init__(self) -> None:
        self._library = _cancellations()
        self._held = Lock()  # a flag that is given back may be another operation's at once
        self._flag = self._library.twinspark_new_cancellation() if self._library is not None else None

    def __del__(self) -> None:
        self.release()

    def release(self) -> None:
        """Nothing runs any more: the flag serves another operation. There are as many as cancel.c says."""
        with self._held:
            flag, self._flag = self._flag, None
        if self._library is not None:
            self._library.twinspark_release_cancellation(flag)

    def cancel(self) -> None:
        with self._held:
            if self._library is not None:
                self._library.twinspark_cancel(self._flag)

    @contextmanager
    def covers_this_thread(self) -> Iterator[None]:
        """Statements that this thread submits to DuckDB inside stop when the operation is cancelled."""
        if self._library is None:
            yield
            return
        before = self._library.twinspark_use_cancellation(self._flag)
        try:
            yield
        finally:
            self._library.twinspark_use_cancellation(before)


def _quote(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


CONFIG = {"allow_unsigned_extensions": "true"}
