"""Registers the UDFs that JSON plans call by name."""

from collections.abc import Callable
from typing import Any

from pyspark.sql.functions import udf
from pyspark.sql.pandas.functions import PandasUDFType, pandas_udf

from twinspark.plans_json.types import type_of

KINDS = ("scalar", "vectorized", "grouped_agg")


def register_udf(
    session: Any, name: str, function: Callable[..., Any], return_type: Any, function_type: str = "scalar"
) -> Any:
    """`scalar` takes the values of one row, `vectorized` pandas Series; `grouped_agg` reduces the Series of a group."""
    if function_type not in KINDS:
        raise ValueError(f"function_type is one of {', '.join(KINDS)}, not {function_type!r}")
    type = type_of(return_type)
    if function_type == "scalar":
        return session.udf.register(name, udf(function, type))
    kind = PandasUDFType.GROUPED_AGG if function_type == "grouped_agg" else PandasUDFType.SCALAR
    return session.udf.register(name, pandas_udf(function, type, kind))
