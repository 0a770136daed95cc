"""Constants of TCLIService: protocol versions, operation states, status codes, type ids, result formats."""

from enum import IntEnum

HIVE_V1, HIVE_V6, HIVE_V8, HIVE_V10 = 0, 5, 7, 9
SPARK_V1, SPARK_V5, SPARK_V9 = 0xA501, 0xA505, 0xA509


class StatusCode(IntEnum):
    SUCCESS = 0
    SUCCESS_WITH_INFO = 1
    STILL_EXECUTING = 2
    ERROR = 3
    INVALID_HANDLE = 4


class OperationState(IntEnum):
    INITIALIZED = 0
    RUNNING = 1
    FINISHED = 2
    CANCELED = 3
    CLOSED = 4
    ERROR = 5
    UNKNOWN = 6
    PENDING = 7
    TIMEDOUT = 8


TERMINAL = frozenset(
    {
        OperationState.FINISHED,
        OperationState.CANCELED,
        OperationState.CLOSED,
        OperationState.ERROR,
        OperationState.TIMEDOUT,
    }
)


class OperationType(IntEnum):
    EXECUTE_STATEMENT = 0
    GET_TYPE_INFO = 1
    GET_CATALOGS = 2
    GET_SCHEMAS = 3
    GET_TABLES = 4
    GET_TABLE_TYPES = 5
    GET_COLUMNS = 6
    GET_FUNCTIONS = 7
    UNKNOWN = 8


class TypeId(IntEnum):
    BOOLEAN = 0
    TINYINT = 1
    SMALLINT = 2
    INT = 3
    BIGINT = 4
    FLOAT = 5
    DOUBLE = 6
    STRING = 7
    TIMESTAMP = 8
    BINARY = 9
    ARRAY = 10
    MAP = 11
    STRUCT = 12
    UNION = 13
    USER_DEFINED = 14
    DECIMAL = 15
    NULL = 16
    DATE = 17
    VARCHAR = 18
    CHAR = 19
    INTERVAL_YEAR_MONTH = 20
    INTERVAL_DAY_TIME = 21
    TIMESTAMPLOCALTZ = 22


class ResultFormat(IntEnum):
    ARROW = 0
    COLUMN = 1
    ROW = 2
    URL = 3


class Orientation(IntEnum):
    NEXT = 0
    PRIOR = 1
    RELATIVE = 2
    ABSOLUTE = 3
    FIRST = 4
    LAST = 5


QUERY_OUTPUT, LOG_OUTPUT = 0, 1
SQL_NAME_KEY, JSON_TYPE_KEY = b"Spark:DataType:SqlName", b"Spark:DataType:JsonType"
SESSION_CONF_PREFIX, USE_DATABASE = "set:hiveconf:", "use:database"


def is_spark_version(version: int) -> bool:
    return version >= SPARK_V1
