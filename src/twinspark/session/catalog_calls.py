"""spark.catalog calls that concern only the session: its current namespace, and its temporary views dropped."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import BooleanType, StringType, StructField, StructType

from twinspark.errors import NotNative
from twinspark.session.frames import BatchWriter, schema_field

if TYPE_CHECKING:
    from twinspark.session.session import Session

Answer = tuple[bytes, ...]
TEXT = StructType([StructField("value", StringType(), True)])
FLAG = StructType([StructField("value", BooleanType(), False)])


def is_catalog_call(plan: Any) -> bool:
    return plan.WhichOneof("op_type") == "root" and plan.root.WhichOneof("rel_type") == "catalog"


def catalog_call(session: "Session", message: Any) -> Callable[[], Answer]:
    kind = message.WhichOneof("cat_type")
    if kind == "current_database":
        return lambda: one_value(TEXT, session.database)
    if kind == "current_catalog":
        return lambda: one_value(TEXT, session.catalog)
    if kind in ("drop_temp_view", "drop_global_temp_view"):
        name, is_global = getattr(message, kind).view_name, kind == "drop_global_temp_view"
        if session.views.is_on_spark(name, is_global):
            raise NotNative(f"the view {name} lives on Spark")
        return lambda: one_value(FLAG, session.views.drop(name, is_global))
    raise NotNative(f"catalog call {kind}")


def one_value(schema: StructType, value: Any) -> Answer:
    (field,) = schema.fields
    kind = pa.bool_() if isinstance(field.dataType, BooleanType) else pa.string()
    batch = pa.RecordBatch.from_arrays(
        [pa.array([value], kind)], schema=pa.schema([pa.field("value", kind, field.nullable)])
    )
    (parts,) = BatchWriter(batch.schema, None).fields(batch)
    return (schema_field(schema), *parts)
