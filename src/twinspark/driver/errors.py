"""DB-API 2.0's errors; each carries the SQLSTATE and the server's own words."""


class Warning(Exception):  # the name DB-API 2.0 gives it
    pass


class Error(Exception):
    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class InterfaceError(Error):
    pass


class DatabaseError(Error):
    pass


class DataError(DatabaseError):
    pass


class OperationalError(DatabaseError):
    pass


class IntegrityError(DatabaseError):
    pass


class InternalError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    pass


class NotSupportedError(DatabaseError):
    pass


class QueryTimeout(OperationalError):
    """The statement ran longer than its timeout and was stopped."""


class QueryCanceled(OperationalError):
    """The statement was cancelled."""


class TypeFallbackWarning(UserWarning):
    """A column's type could not be learned or believed; it is delivered as the wire carried it."""


class AmbiguousTimestampWarning(UserWarning):
    """A server that sends text without offset named an hour that happened twice; the earlier one is taken."""


# SQLSTATE classes (first two characters) and the DB-API error that means the same.
CLASSES: dict[str, type[DatabaseError]] = {
    "07": ProgrammingError,
    "0A": NotSupportedError,
    "22": DataError,
    "23": IntegrityError,
    "42": ProgrammingError,
    "08": OperationalError,
    "28": OperationalError,
    "HY": OperationalError,
    "XX": InternalError,
}


def error_of(message: str, sqlstate: str | None) -> DatabaseError:
    """The words without the JVM's stack. HYT00 is a timeout and HY008 a cancellation; the rest goes by class."""
    message = message.partition("\n\tat ")[0]
    if sqlstate == "HYT00":
        return QueryTimeout(message, sqlstate)
    if sqlstate == "HY008":
        return QueryCanceled(message, sqlstate)
    return CLASSES.get((sqlstate or "")[:2], DatabaseError)(message, sqlstate)
