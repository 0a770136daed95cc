"""Run-time conditions: where one does not hold for a row, the whole plan falls back to Spark."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from twinspark.errors import Reason
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import Signature


@cache
def requiring(signature: Signature, reason: Reason, detail: str) -> Signature:
    """`{0} and {1}`, which falls back if the first holds and the second does not."""
    refused = not_native(reason, detail)
    return replace(
        signature, writer=f"CASE WHEN {{0}} THEN CASE WHEN {{1}} THEN TRUE ELSE {refused} END ELSE FALSE END"
    )
