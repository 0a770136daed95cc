"""Frequent items (DataFrame.freqItems): all values, as long as they fit into Spark's table of counts."""

from __future__ import annotations

from dataclasses import replace

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import Signature
from twinspark.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

INTS = (ByteType, ShortType, IntegerType)
LONGEST = 1 << 30
FIRST_SIZE, LOAD = 16, 0.75  # scala.collection.mutable.HashMap


def every_value(signature: Signature) -> Signature:
    """An aggregate of the distinct values, including null."""
    return replace(signature, writer="coalesce(list(DISTINCT {0}), [])")


def in_scala_order(signature: Signature, type: DataType, most: int) -> Signature:
    """The keys in the iteration order of a Scala HashMap: by bucket, then by hash."""
    many = not_native(reasons.PARTITIONS, "freqItems with more distinct values than it counts")
    twins = not_native(reasons.PARTITIONS, "freqItems with values of equal hashes, or as many as make the table grow")
    mixed = "xor(hash_, (hash_ >> 16) & 65535)"
    hashed = (
        f"list_transform(values_, lambda value_: list_transform([{hash_of('value_', type)}], lambda hash_: {mixed})[1])"
    )
    bucket = f"hash_ & ({size_of('len(values_)')} - 1)"
    pair = f"struct_pack(bucket := {bucket}, hash := hash_, value := values_[at_])"
    pairs = f"list_transform(hashes_, lambda hash_, at_: {pair})"
    sorted = f"list_transform(list_sort({pairs}), lambda each_: each_.value)"
    doubtful = f"len(list_distinct(hashes_)) < len(values_) OR len(values_) IN ({', '.join(map(str, edges()))})"
    ordered = f"list_transform([{hashed}], lambda hashes_: CASE WHEN {doubtful} THEN {twins} ELSE {sorted} END)[1]"
    whole = f"CASE WHEN len(values_) > {most} THEN {many} ELSE {ordered} END"
    return replace(signature, writer=f"list_transform([{{0}}], lambda values_: {whole})[1]")


def hash_of(value: str, type: DataType) -> str:
    """The hash code (Scala's ##) of a key, as a signed 32-bit number."""
    if isinstance(type, INTS):
        found = f"CAST({value} AS INTEGER)"
    elif isinstance(type, DateType):
        found = f"CAST({value} - DATE '1970-01-01' AS INTEGER)"
    elif isinstance(type, BooleanType):
        found = f"CASE WHEN {value} THEN 1231 ELSE 1237 END"
    elif isinstance(type, LongType | TimestampType | TimestampNTZType):
        long = value if isinstance(type, LongType) else f"epoch_us({value})"
        found = f"list_transform([{long}], lambda long_: {long_hash('long_')})[1]"
    elif type == StringType():
        found = f"spark_hash({value}, 42)"
    else:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"freqItems of {type.simpleString()}")
    return f"CASE WHEN {value} IS NULL THEN 0 ELSE {found} END"


def long_hash(long: str) -> str:
    """A long that fits an int has the hash of the int."""
    folded = f"xor({long}, ({long} >> 32) & 4294967295) & 4294967295"
    signed = f"CASE WHEN {folded} >= 2147483648 THEN ({folded}) - 4294967296 ELSE {folded} END"
    return f"CAST(CASE WHEN {long} BETWEEN -2147483648 AND 2147483647 THEN {long} ELSE {signed} END AS INTEGER)"


def size_of(count: str) -> str:
    """The size to which the table has grown."""
    branches, size = "", FIRST_SIZE
    while size < LONGEST >> 14:
        branches += f"WHEN {count} < {int(size * LOAD)} THEN {size} "
        size *= 2
    return f"(CASE {branches}END)"


def edges() -> list[int]:
    """Counts at which one more value, even an existing one, may make the table grow."""
    found, size = [], FIRST_SIZE
    while size < LONGEST >> 14:
        found.append(int(size * LOAD) - 1)
        size *= 2
    return found
