"""Exposes Python functions as the C functions that an ADBC driver manager calls: handles, strings, errors."""

import ctypes
import itertools
import logging
from collections.abc import Callable
from typing import Any

from twinspark.driver import errors
from twinspark.driver.adbc import structs
from twinspark.driver.adbc.structs import SIGNATURES, Driver

LOG = logging.getLogger(__name__)
CALLS: dict[str, Any] = {}  # never removed, since C code has their addresses
OBJECTS: dict[int, Any] = {}  # the object of each handle, by the number in its private_data
NUMBERS = itertools.count(1)
MESSAGES: dict[int, Any] = {}  # texts of errors that are not released yet, by their address
STATUSES: list[tuple[type[errors.Error], int]] = [
    (errors.QueryCanceled, structs.CANCELLED),
    (errors.QueryTimeout, structs.TIMEOUT),
    (errors.NotSupportedError, structs.NOT_IMPLEMENTED),
    (errors.IntegrityError, structs.INTEGRITY),
    (errors.DataError, structs.INVALID_DATA),
    (errors.ProgrammingError, structs.INVALID_ARGUMENT),
    (errors.OperationalError, structs.IO),
    (errors.InternalError, structs.INTERNAL),
    (errors.InterfaceError, structs.INVALID_STATE),
]
STATES = {"28000": structs.UNAUTHENTICATED, "42P01": structs.NOT_FOUND, "42P07": structs.ALREADY_EXISTS}


def call(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers a Python function as ADBC's function `name`; it gets all arguments but the error struct, and raises."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        def c_function(*arguments: Any) -> int:
            return call_guarded(name, function, arguments[:-1], arguments[-1])

        CALLS[name] = structs.function_type(name)(c_function)
        return function

    return register


def call_guarded(name: str, function: Callable[..., None], arguments: tuple[Any, ...], error: Any) -> int:
    """Catches every exception, since C cannot: it is returned in the error struct, and logged unless it is a DB-API
    error."""
    try:
        function(*map(decode_argument, arguments))
    except errors.Error as failure:
        return fill_error(error, status_of(failure), str(failure), failure.sqlstate)
    except Exception as failure:
        LOG.exception("%s failed", name)
        return fill_error(error, structs.INTERNAL, f"{type(failure).__name__}: {failure}", None)
    return structs.OK


def decode_argument(argument: Any) -> Any:
    return argument.decode() if isinstance(argument, bytes) else argument


def status_of(failure: errors.Error) -> int:
    if failure.sqlstate in STATES:
        return STATES[failure.sqlstate]
    return next((status for kind, status in STATUSES if isinstance(failure, kind)), structs.UNKNOWN)


def fill_error(error: Any, status: int, message: str, sqlstate: str | None) -> int:
    """`error` is a null pointer if the caller does not want the error."""
    if error:
        text = ctypes.create_string_buffer(message.encode())
        address = ctypes.addressof(text)
        MESSAGES[address] = text
        error[0].message = address
        error[0].vendor_code = 0
        error[0].sqlstate = (sqlstate or "").encode()[:5].ljust(5, b"\0")
        error[0].release = ctypes.cast(release_error, ctypes.c_void_p).value
    return status


@structs.RELEASE_ERROR  # type: ignore[untyped-decorator]
def release_error(error: Any) -> None:
    MESSAGES.pop(error[0].message or 0, None)
    error[0].message = None
    error[0].release = None


def attach(handle: Any, thing: Any) -> None:
    number = next(NUMBERS)
    OBJECTS[number] = thing
    handle[0].private_data = number


def object_of(handle: Any) -> Any:
    found = OBJECTS.get(handle[0].private_data or 0)
    if found is None:
        raise errors.InterfaceError("this handle is not open", "08003")
    return found


def detach(handle: Any) -> Any:
    found = OBJECTS.pop(handle[0].private_data or 0, None)
    handle[0].private_data = None
    return found


@structs.RELEASE  # type: ignore[untyped-decorator]
def release_driver(driver: Any, error: Any) -> int:
    return structs.OK


@structs.INITIALIZE  # type: ignore[untyped-decorator]
def initialize(version: int, driver: Any, error: Any) -> int:
    """Fills struct AdbcDriver with the functions that the requested version has."""
    if version not in (structs.VERSION_1_0, structs.VERSION_1_1):
        return fill_error(error, structs.NOT_IMPLEMENTED, f"ADBC version {version} is not known here", None)
    table = ctypes.cast(driver, ctypes.POINTER(Driver))[0]
    table.release = ctypes.cast(release_driver, ctypes.c_void_p).value
    for name in known_functions(version):
        if name in CALLS:
            setattr(table, name, ctypes.cast(CALLS[name], ctypes.c_void_p).value)
    return structs.OK


def known_functions(version: int) -> list[str]:
    names = list(SIGNATURES)
    return names if version >= structs.VERSION_1_1 else names[: names.index(structs.LAST_OF_1_0) + 1]


def initialize_address() -> int:
    """The address that `adbc_driver_manager` takes as its `init_func`."""
    address = ctypes.cast(initialize, ctypes.c_void_p).value
    assert address is not None
    return address
