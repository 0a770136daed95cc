"""Conditions that, where they do not hold, leave the whole plan to Spark: found only while the rows are there."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from twinspark.functions.casts import not_native
from twinspark.functions.registry import Signature


@cache
def requiring(signature: Signature, reason: str) -> Signature:
    """`{0} and {1}`, where the second must hold whenever the first does."""
    refused = not_native(reason)
    return replace(
        signature, writer=f"CASE WHEN {{0}} THEN CASE WHEN {{1}} THEN TRUE ELSE {refused} END ELSE FALSE END"
    )
