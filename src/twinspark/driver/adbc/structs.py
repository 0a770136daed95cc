"""Defines ADBC's C structs (version 1.1.0 of its header) with ctypes."""

import ctypes
from typing import Any

VERSION_1_0, VERSION_1_1 = 1_000_000, 1_001_000
Status = ctypes.c_uint8
OK, UNKNOWN, NOT_IMPLEMENTED, NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT, INVALID_STATE, INVALID_DATA = range(8)
INTEGRITY, INTERNAL, IO, CANCELLED, TIMEOUT, UNAUTHENTICATED, UNAUTHORIZED = range(8, 15)


class Handle(ctypes.Structure):
    """AdbcDatabase, AdbcConnection and AdbcStatement, which have the same layout: private data and the driver."""

    _fields_ = [("private_data", ctypes.c_void_p), ("private_driver", ctypes.c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [
        ("message", ctypes.c_void_p),
        ("vendor_code", ctypes.c_int32),
        ("sqlstate", ctypes.c_char * 5),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
        ("private_driver", ctypes.c_void_p),
    ]


TYPES: dict[str, Any] = {
    "handle": ctypes.POINTER(Handle),
    "error": ctypes.POINTER(Error),
    "text": ctypes.c_char_p,
    "texts": ctypes.POINTER(ctypes.c_char_p),
    "address": ctypes.c_void_p,
    "count": ctypes.POINTER(ctypes.c_int64),
    "length": ctypes.POINTER(ctypes.c_size_t),
    "codes": ctypes.POINTER(ctypes.c_uint32),
    "int": ctypes.c_int,
    "size": ctypes.c_size_t,
    "long": ctypes.c_int64,
    "longs": ctypes.POINTER(ctypes.c_int64),
    "double": ctypes.c_double,
    "doubles": ctypes.POINTER(ctypes.c_double),
    "char": ctypes.c_char,
}
# The functions of struct AdbcDriver in order; `-` marks a function that does not return a status.
FUNCTIONS = """
DatabaseInit handle error
DatabaseNew handle error
DatabaseSetOption handle text text error
DatabaseRelease handle error
ConnectionCommit handle error
ConnectionGetInfo handle codes size address error
ConnectionGetObjects handle int text text text texts text address error
ConnectionGetTableSchema handle text text text address error
ConnectionGetTableTypes handle address error
ConnectionInit handle handle error
ConnectionNew handle error
ConnectionSetOption handle text text error
ConnectionReadPartition handle address size address error
ConnectionRelease handle error
ConnectionRollback handle error
StatementBind handle address address error
StatementBindStream handle address error
StatementExecuteQuery handle address count error
StatementExecutePartitions handle address address count error
StatementGetParameterSchema handle address error
StatementNew handle handle error
StatementPrepare handle error
StatementRelease handle error
StatementSetOption handle text text error
StatementSetSqlQuery handle text error
StatementSetSubstraitPlan handle address size error
ErrorGetDetailCount -
ErrorGetDetail -
ErrorFromArrayStream -
DatabaseGetOption handle text address length error
DatabaseGetOptionBytes handle text address length error
DatabaseGetOptionDouble handle text doubles error
DatabaseGetOptionInt handle text longs error
DatabaseSetOptionBytes handle text address size error
DatabaseSetOptionDouble handle text double error
DatabaseSetOptionInt handle text long error
ConnectionCancel handle error
ConnectionGetOption handle text address length error
ConnectionGetOptionBytes handle text address length error
ConnectionGetOptionDouble handle text doubles error
ConnectionGetOptionInt handle text longs error
ConnectionGetStatistics handle text text text char address error
ConnectionGetStatisticNames handle address error
ConnectionSetOptionBytes handle text address size error
ConnectionSetOptionDouble handle text double error
ConnectionSetOptionInt handle text long error
StatementCancel handle error
StatementExecuteSchema handle address error
StatementGetOption handle text address length error
StatementGetOptionBytes handle text address length error
StatementGetOptionDouble handle text doubles error
StatementGetOptionInt handle text longs error
StatementSetOptionBytes handle text address size error
StatementSetOptionDouble handle text double error
StatementSetOptionInt handle text long error
"""
SIGNATURES = {words[0]: words[1:] for words in map(str.split, FUNCTIONS.strip().splitlines())}
LAST_OF_1_0 = "StatementSetSubstraitPlan"


def function_type(name: str) -> Any:
    return ctypes.CFUNCTYPE(Status, *(TYPES[word] for word in SIGNATURES[name]))


RELEASE = ctypes.CFUNCTYPE(Status, ctypes.c_void_p, ctypes.POINTER(Error))
INITIALIZE = ctypes.CFUNCTYPE(Status, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Error))
RELEASE_ERROR = ctypes.CFUNCTYPE(None, ctypes.POINTER(Error))


class Driver(ctypes.Structure):
    """All members are addresses; for a null pointer the driver manager reports `not implemented`."""

    _fields_ = [
        ("private_data", ctypes.c_void_p),
        ("private_manager", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in SIGNATURES),
    ]
