"""The rows of sql_keywords() and collations() as a relation."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from twinspark.analysis.context import Context
from twinspark.analysis.local_data import fields_of
from twinspark.errors import NotNative
from twinspark.functions.listings import LISTINGS, listing
from twinspark.plan.relations import LocalData, Relation

RESERVED = "spark.sql.ansi.enforceReservedKeywords"


def listed(name: str, arguments: Sequence[object], context: Context) -> Relation | None:
    """None when it is no such function."""
    if name not in LISTINGS:
        return None
    if arguments or context.config.get(RESERVED, "false").lower() != "false":
        raise NotNative(f"{name} with arguments, or where words are reserved")
    columns, rows = listing(name)
    arrays = [pa.array(values) for values in zip(*rows, strict=True)]
    return LocalData(fields=fields_of(columns), table=pa.table(arrays, names=columns.names), key=name)
