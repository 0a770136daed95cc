"""Reads the Connect relations unpivot and transpose, which turn columns into rows."""

from __future__ import annotations

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.relations.basics import Named, passed_column
from twinspark.analysis.relations.data_dependent import transpose
from twinspark.analysis.relations.unpivot import unpivot
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.read.proto.expressions import read_columns
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.types import quote_identifier


@RELATIONS.handles("unpivot")
def read_unpivot(message: relations_pb2.Unpivot, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    ids = read_columns(message.ids, scope)
    scope = Scope(frame, context)
    values = read_columns(message.values.values, scope) if message.HasField("values") else other_columns(frame, ids)
    return unpivot(frame, ids, values, message.variable_column_name, message.value_column_name, context.settings)


def other_columns(frame: Frame, ids: list[Named]) -> list[Named]:
    """Without values, all columns that are not ids; then the ids must be plain columns."""
    odd = [named for named in ids if named.passes is None]
    if odd:
        shown = ", ".join(
            quote_expression(f"{named.expression.text} AS {quote_identifier(named.name)}") for named in odd
        )
        raise SparkError("UNPIVOT_REQUIRES_ATTRIBUTES", given="id", empty="value", expressions=shown)
    taken = {named.passes.id for named in ids if named.passes is not None}
    return [passed_column(frame, a) for a in frame.attributes if a.id not in taken]


@RELATIONS.handles("transpose")
def read_transpose(message: relations_pb2.Transpose, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    indices = read_columns(message.index_columns, Scope(frame, context))
    if len(indices) > 1:
        raise NotNative(reasons.DATAFRAME_METHOD, "transpose: several index columns")
    if indices and indices[0].passes is None:
        raise SparkError("TRANSPOSE_INVALID_INDEX_COLUMN", reason="Index column must be an atomic attribute")
    return transpose(frame, indices[0].passes if indices else None, context)
