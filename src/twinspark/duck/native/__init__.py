"""The native functions of twinspark: what DuckDB's SQL cannot say exactly, written in C and loaded as an extension.

`FUNCTIONS` holds every name that the extension of this installation registers (empty when it was not built); a name
whose result is a DECIMAL stands there without its scale suffix. `load(connection)` makes them known to a database.
"""

import ctypes
from importlib.util import find_spec
from pathlib import Path

import duckdb

from twinspark.functions import schema_texts

LIBRARY = Path(__file__).parent / "twinspark.duckdb_extension"


def _zones() -> Path:
    """Where the time zone files of Python's tzdata are (pandas depends on that package)."""
    found = find_spec("tzdata")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent / "zoneinfo"


ZONES = _zones()


def _registered() -> dict[str, str]:
    """Every function with its types, as the extension's own registration tables say them."""
    if not LIBRARY.exists():
        return {}
    names = ctypes.CDLL(str(LIBRARY)).twinspark_function_names
    names.restype = ctypes.c_char_p
    return dict(line.split(" ", 1) for line in names().decode().splitlines())


SIGNATURES: dict[str, str] = _registered()
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
    connection.execute(f"LOAD {_quoted(LIBRARY)}")
    connection.execute(f"SELECT spark_zoneinfo({_quoted(ZONES)})").fetchall()
    return True


def schema_of_json(json: str, options: str) -> str | None:
    """What schema_of_json gives, where it must be known before anything runs."""
    if "spark_schema_of_json" not in FUNCTIONS:
        return None
    find = ctypes.CDLL(str(LIBRARY)).twinspark_schema_of_json
    find.restype = ctypes.c_char_p
    found = find(json.encode(), len(json.encode()), options.encode())
    return found.decode() if found is not None else None


schema_texts.use_finder(schema_of_json)


def use_java(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Tells, for the whole process, which Java runs Spark: text of doubles depends on it (17 until told)."""
    if available():
        connection.execute(f"SELECT spark_java({version})").fetchall()


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


CONFIG = {"allow_unsigned_extensions": "true"}
