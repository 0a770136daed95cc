"""DB-API 2.0's exceptions, with the SQLSTATE and message text of the server."""


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
    """The type of a column is unknown or contradicts the data; the column is returned with the type that was sent."""


class AmbiguousTimestampWarning(UserWarning):
    """The server sent a timestamp as text without an offset, in an hour that occurs twice; the earlier one is used."""


# The DB-API exception for each SQLSTATE class (the first two characters).
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
    """The exception for a server's error, without the JVM's stack trace. HYT00 is a timeout and HY008 a cancellation;
    other exceptions depend on the SQLSTATE class."""
    message = message.partition("\n\tat ")[0]
    if sqlstate == "HYT00":
        return QueryTimeout(message, sqlstate)
    if sqlstate == "HY008":
        return QueryCanceled(message, sqlstate)
    return CLASSES.get((sqlstate or "")[:2], DatabaseError)(message, sqlstate)
