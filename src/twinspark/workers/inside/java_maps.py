"""Computes the iteration order of java.util.HashMap, which Spark's pickled maps have (runs inside a worker).

Bins that become trees, and keys with identity hash codes, fall back to Spark."""

import struct
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

BATCH = 1000  # entries in one SETITEMS of Python's pickler
MOST_IN_A_BIN = 8
WORD = 1 << 32


class UnknownOrder(Exception):
    """Keys whose iteration order only a JVM can compute."""


def given_order(keys: Sequence[Any], hash_of: Callable[[Any], int]) -> list[int]:
    """The indices of the keys in the order of a map that EvaluatePython.toJava made with this capacity."""
    return order_in(keys, list(range(len(keys))), hash_of, table_size(len(keys)))


def returned_order(keys: Sequence[Any], hash_of: Callable[[Any], int]) -> list[int]:
    """The indices of the keys in the order of an unpickled dict: its entries are popped from the stack, the last one
    first, into one map and from there into another (net.razorvine's load_setitems; HashMap.putMapEntries)."""
    if len(keys) > BATCH:
        raise UnknownOrder("a map with more entries than Python pickles at once")
    if len(keys) < 2:
        return list(range(len(keys)))
    through = order_in(keys, list(range(len(keys)))[::-1], hash_of, 16)
    return order_in(keys, through, hash_of, table_size(int(len(keys) / 0.75 + 1.0)))


def table_size(asked: int) -> int:
    """The next power of two (HashMap.tableSizeFor)."""
    return 1 << max(asked - 1, 0).bit_length()


def order_in(keys: Sequence[Any], put: list[int], hash_of: Callable[[Any], int], size: int) -> list[int]:
    """By bin, and inside a bin by insertion: a table that grows keeps that order."""
    hashes = {place: spread(hash_of(keys[place])) for place in put}
    while len(put) > int(size * 0.75):
        check_bins([hashes[place] for place in put[: int(size * 0.75) + 1]], size)
        size *= 2
    check_bins(list(hashes.values()), size)
    return sorted(put, key=lambda place: hashes[place] & (size - 1))


def check_bins(hashes: list[int], size: int) -> None:
    if len(hashes) >= MOST_IN_A_BIN:
        bins = Counter(each & (size - 1) for each in hashes)
        if max(bins.values()) >= MOST_IN_A_BIN:
            raise UnknownOrder("a map with many keys in one bin of its table")


def spread(code: int) -> int:
    code %= WORD
    return code ^ (code >> 16)


# ---- hashCode


@lru_cache(65536)
def text_hash(text: str) -> int:
    """String.hashCode, over UTF-16."""
    units = text.encode("utf-16-le", "surrogatepass")
    code = 0
    for unit in struct.unpack(f"<{len(units) // 2}H", units):
        code = (31 * code + unit) % WORD
    return code


def long_hash(value: int) -> int:
    value %= 1 << 64
    return (value ^ (value >> 32)) % WORD


def double_hash(value: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0] if value == value else 0x7FF8000000000000
    return long_hash(bits)


def float_hash(value: float) -> int:
    bits: int = struct.unpack("<i", struct.pack("<f", value))[0] if value == value else 0x7FC00000
    return bits % WORD


def boolean_hash(value: bool) -> int:
    return 1231 if value else 1237


def unpickled_hash(key: Any) -> int:
    """hashCode of a key as the JVM unpickles it: small numbers are Integers, others Longs."""
    if type(key) is str:
        return text_hash(key)
    if type(key) is bool:
        return boolean_hash(key)
    if type(key) is int and -(1 << 63) <= key < 1 << 63:
        return key % WORD if -(1 << 31) <= key < 1 << 31 else long_hash(key)
    if type(key) is float:
        return double_hash(key)
    raise UnknownOrder(f"a map with keys of the class {type(key).__name__}")


HASHES: dict[str, Callable[[Any], int]] = {
    "string": text_hash,
    "boolean": boolean_hash,
    "long": long_hash,
    "timestamp": long_hash,
    "timestamp_ntz": long_hash,
    "daytimeinterval": long_hash,
    "double": double_hash,
    "float": float_hash,
    **dict.fromkeys(("byte", "short", "integer", "date"), lambda value: value % WORD),
}


def typed_hash(name: str) -> Callable[[Any], int]:
    """hashCode of keys of a Spark type, as EvaluatePython.toJava converts them."""

    def unknown(value: Any) -> int:
        raise UnknownOrder(f"a map with keys of the type {name}")

    return HASHES.get(name, unknown)
