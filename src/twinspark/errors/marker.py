"""Encodes Spark errors and fall-back reasons in DuckDB's error messages: a line after a mark that data cannot contain.

DuckDB reports errors as texts that may quote the user's values, as in `Could not convert string 'abc' to INT32`. The
mark contains a random token of this process. It occurs only in generated SQL and in the C extension, so no value looks
like a marked line. Characters with a meaning in the line are escaped in values. The mark contains such a character, so
even a value that repeats the mark is not mistaken for an error.

    SPARK|<token>|DIVIDE_BY_ZERO|config="spark.sql.ansi.enabled"     an error condition of Spark and its parameters
    SPARK|<token>|JAVA|class=<class>|message=<text>                  an exception of Java, which has no condition
    SPARK|<token>|OUT_OF_MEMORY|bytes=<number>                       the memory that a value would have needed
    SPARK|<token>|FALL_BACK|code=<code>|detail=<text>|crash=<text>   a reason, and how Spark itself would fail
"""

import re
import secrets
from collections.abc import Mapping
from urllib.parse import unquote

from twinspark.errors.conditions import JavaError, SparkError
from twinspark.errors.fall_back import NotNative, OutOfMemory
from twinspark.errors.reasons.reason import Cause, Reason
from twinspark.errors.reasons.registry import BY_CODE

TOKEN = secrets.token_hex(8)
MARK = f"SPARK|{TOKEN}|"
# Where DuckDB's message quotes generated SQL, the mark follows a quote: it is a string literal there, not an error.
MARKED = re.compile("(?<!')" + re.escape(MARK) + r"([A-Z0-9_.]+)((?:\|[^\n]*)?)")
JAVA, MEMORY, FALL_BACK = "JAVA", "OUT_OF_MEMORY", "FALL_BACK"
ESCAPES = str.maketrans({each: f"%{ord(each):02X}" for each in "%|=\n\r\0"})
SPARK_EXCEPTION = "org.apache.spark.SparkException"


def mark_error(condition: str, parameters: Mapping[str, str]) -> str:
    return MARK + "|".join([condition, *(f"{name}={escape(value)}" for name, value in parameters.items())])


def mark_fall_back(reason: Reason, detail: str = "", crash: str = "") -> str:
    """`crash` is the message of the exception with which Spark would fail, if that is known."""
    parameters = {"code": reason.code, "detail": detail, "crash": crash}
    return mark_error(FALL_BACK, {name: value for name, value in parameters.items() if value})


def escape(value: str) -> str:
    return value.translate(ESCAPES)


def escape_sql(sql: str) -> str:
    """SQL that escapes a VARCHAR at run time; it escapes more characters than `escape`, which decodes to the same."""
    return f"url_encode({sql})"


def unmark(message: str) -> Exception | None:
    """The exception that a marked line in DuckDB's message stands for."""
    found = MARKED.search(message)
    if found is None:
        return None
    return exception_of(found[1], parameters_of(found[2][1:]) if found[2] else {})


def marked_causes(sql: str) -> list[Cause]:
    """The reasons that generated SQL may raise while it runs, each once: after each mark stands a line as above."""
    lines = (part.replace("''", "%27").partition("'")[0] for part in sql.split(f"{MARK}{FALL_BACK}|")[1:])
    found = [exception_of(FALL_BACK, parameters_of(line)) for line in lines]
    return list(dict.fromkeys(each.cause for each in found if isinstance(each, NotNative)))


def parameters_of(line: str) -> dict[str, str]:
    return {name: unquote(value) for name, _, value in (part.partition("=") for part in line.split("|"))}


def exception_of(kind: str, parameters: dict[str, str]) -> Exception:
    if kind == FALL_BACK:
        crash = JavaError(SPARK_EXCEPTION, parameters["crash"]) if "crash" in parameters else None
        return NotNative(BY_CODE[parameters["code"]], parameters.get("detail", ""), likely_error=crash)
    if kind == JAVA:
        return JavaError(parameters["class"], parameters["message"])
    if kind == MEMORY:
        return OutOfMemory(int(parameters["bytes"]))
    return SparkError(kind, **parameters)  # type: ignore[arg-type]


def without_token(text: str) -> str:
    """A message of DuckDB, which may quote generated SQL, without the token: users must not learn it."""
    return text.replace(TOKEN, "")
