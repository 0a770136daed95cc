"""What GetSqlInfo reports about this server: the numbers are those of the enum SqlInfo of Flight SQL."""

from importlib.metadata import version
from typing import Any

import pyarrow as pa

from twinspark.read.sql.lexer.keywords import KEYWORDS, SYNONYMS
from twinspark.release import SPARK_VERSION

LISTS = pa.map_(pa.int32(), pa.list_(pa.int32()))
KINDS = {
    "string_value": pa.string(),
    "bool_value": pa.bool_(),
    "bigint_value": pa.int64(),
    "int32_bitmask": pa.int32(),
    "string_list": pa.list_(pa.string()),
    "int32_to_int32_list_map": LISTS,
}
TEXT, TRUTH, BITS, TEXTS = 0, 1, 3, 4  # positions in that union
VALUES = pa.dense_union([pa.field(name, kind) for name, kind in KINDS.items()])
SQL_INFO_SCHEMA = pa.schema(
    [pa.field("info_name", pa.uint32(), nullable=False), pa.field("value", VALUES, nullable=False)]
)
CASE_INSENSITIVE, NULLS_LOW, NO_TRANSACTIONS = 1, 2, 0
# Number: the position of its type in the union, and its value.
INFO: dict[int, tuple[int, Any]] = {
    0: (TEXT, "twinspark"),
    1: (TEXT, SPARK_VERSION),
    2: (TEXT, version("pyarrow")),
    3: (TRUTH, False),
    4: (TRUTH, True),
    5: (TRUTH, False),  # Substrait
    8: (BITS, NO_TRANSACTIONS),
    9: (TRUTH, True),  # cancelling
    10: (TRUTH, True),  # bulk ingestion
    11: (TRUTH, False),  # bulk ingestion in a transaction
    100: (BITS, 0),
    101: (BITS, 0),
    500: (TRUTH, False),  # CREATE CATALOG
    501: (TRUTH, True),  # CREATE SCHEMA
    502: (TRUTH, True),  # CREATE TABLE
    503: (BITS, CASE_INSENSITIVE),
    504: (TEXT, "`"),
    505: (BITS, CASE_INSENSITIVE),
    506: (TRUTH, False),
    507: (BITS, NULLS_LOW),
    508: (TEXTS, sorted(KEYWORDS - set(SYNONYMS.values()))),
}


def sql_info(wanted: list[int]) -> pa.RecordBatch:
    """The requested values that are known, or all of them."""
    numbers = [number for number in (wanted or INFO) if number in INFO]
    children: list[list[Any]] = [[] for _ in KINDS]
    offsets = []
    for kind, value in (INFO[number] for number in numbers):
        offsets.append(len(children[kind]))
        children[kind].append(value)
    values = pa.UnionArray.from_dense(
        pa.array([INFO[number][0] for number in numbers], pa.int8()),
        pa.array(offsets, pa.int32()),
        [pa.array(each, kind) for each, kind in zip(children, KINDS.values(), strict=True)],
        list(KINDS),
    )
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.uint32()), values], schema=SQL_INFO_SCHEMA)
