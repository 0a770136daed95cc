"""The table functions sql_keywords() and collations() as relations."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from twinspark.analysis.context import Context
from twinspark.analysis.relations.local_data import fields_of
from twinspark.errors import NotNative, reasons
from twinspark.functions.session_info.listings import LISTINGS, listing
from twinspark.plan.relations import LocalData, Relation

RESERVED = "spark.sql.ansi.enforceReservedKeywords"


def listing_relation(name: str, arguments: Sequence[object], context: Context) -> Relation | None:
    """None for other functions."""
    if name not in LISTINGS:
        return None
    if arguments or context.flag(RESERVED):
        raise NotNative(reasons.TABLE_FUNCTION, f"{name} with arguments, or with enforced reserved keywords")
    columns, rows = listing(name)
    arrays = [pa.array(values) for values in zip(*rows, strict=True)]
    return LocalData(fields=fields_of(columns), table=pa.table(arrays, names=columns.names), key=name)
