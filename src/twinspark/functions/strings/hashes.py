"""Hash functions: Spark's Murmur3 and xxHash64 chained over the arguments, checksums and digests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import INT, LONG, ArrayType, DataType, MapType, StructType, VariantType, is_null, nested_types
from twinspark.types.duckdb import duck_name

SEED = 42


def hash_type(result: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        inner = [t for type in call.types for t in nested_types(type)]
        if not inner or any(isinstance(t, MapType | VariantType) for t in inner):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "a hash of no arguments, of a map or of a variant")
        return Typed(result, False)

    return rule


def hash_writer(function: str, seed_type: str) -> Callable[..., str]:
    """The hash of each argument is the seed of the next; a null does not change the seed."""

    def write(call: Any, *arguments: str) -> str:
        found = f"CAST({SEED} AS {seed_type})"
        for argument, sql in zip(call.arguments, arguments, strict=True):
            found = hash_of(function, argument.type, sql, found)
        return found

    return write


def hash_of(function: str, type: DataType, sql: str, seed: str) -> str:
    """The fields of a struct are hashed one after another; each level doubles the SQL, so nested structs fall back."""
    if is_null(type):
        return seed
    if isinstance(type, ArrayType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "a hash of arrays")
    if not isinstance(type, StructType):
        is_first = seed.startswith(f"CAST({SEED} AS ")  # the default seed of the functions
        return f"{function}({sql})" if is_first else f"{function}({sql}, {seed})"
    found = seed
    for field in type.fields:
        if isinstance(field.dataType, StructType):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "a hash of structs inside structs")
        found = hash_of(function, field.dataType, f"({sql}).{duck_name(field.name)}", found)
    return f"(CASE WHEN {sql} IS NULL THEN {seed} ELSE {found} END)"


fn("hash(any...)", hash_writer("spark_hash", "INTEGER"), rule=hash_type(INT))
fn("xxhash64(any...)", hash_writer("spark_xxhash64", "BIGINT"), rule=hash_type(LONG))

fn("crc32(binary) -> bigint", "spark_crc32({0})")
fn("md5(binary) -> string", "md5({0})")
fn("sha(binary) -> string", "sha1({0})", "sha1", keeps_alias=True)


def sha2(call: Any, value: str, bits: str) -> str:
    """DuckDB's sha256 for 256 bits, which is three times as fast."""
    return f"sha256({value})" if bits in ("0", "256") else f"spark_sha2({value}, {bits})"


fn("sha2(binary, int) -> string?", sha2)
