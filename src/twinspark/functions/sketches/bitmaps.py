"""Bitmap functions: the bucket and bit of a number, and bitmaps of 32768 bits built, merged and counted."""

from __future__ import annotations

from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type
from twinspark.types import BINARY, LONG, BinaryType

COUNT = "CAST(CASE WHEN octet_length({0}) = 0 THEN 0 ELSE bit_count(CAST({0} AS BIT)) END AS BIGINT)"
fn("bitmap_bit_position(bigint) -> bigint", "spark_bitmap_bit_position({0})")
fn("bitmap_bucket_number(bigint) -> bigint", "spark_bitmap_bucket_number({0})")


def bitmap_type(call: Call) -> Typed:
    check_bitmap(call)
    return Typed(BINARY, False)


def check_bitmap(call: Call) -> None:
    if not isinstance(call.types[0], BinaryType):
        raise unexpected_input_type(call, 0, '"BINARY"')


def count_type(call: Call) -> Typed:
    check_bitmap(call)
    return Typed(LONG, call.any_nullable)


fn("bitmap_count(any)", COUNT, rule=count_type)
aggregate("bitmap_construct_agg(bigint) -> binary!", "spark_bitmap_construct_agg({0}){suffix}")
aggregate("bitmap_or_agg(any)", "spark_bitmap_or_agg({0}){suffix}", rule=bitmap_type)
aggregate("bitmap_and_agg(any)", "spark_bitmap_and_agg({0}){suffix}", rule=bitmap_type)
