"""Connect relations that turn columns into rows: unpivot and transpose."""

from __future__ import annotations

from typing import Any

from twinspark.analysis.collected import transpose
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named, passing
from twinspark.analysis.scope import Frame
from twinspark.analysis.unpivot import unpivot
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.read.proto.expressions import read_columns
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.types import quote_identifier


@RELATIONS.handles("unpivot")
def read_unpivot(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    ids = read_columns(message.ids, scope)
    scope = Scope(frame, context)
    values = read_columns(message.values.values, scope) if message.HasField("values") else other_columns(frame, ids)
    return unpivot(frame, ids, values, message.variable_column_name, message.value_column_name, context.settings)


def other_columns(frame: Frame, ids: list[Named]) -> list[Named]:
    """Without values, every column that is no id; ids must be plain columns then."""
    odd = [named for named in ids if named.passes is None]
    if odd:
        shown = ", ".join(quoted(f"{named.expression.text} AS {quote_identifier(named.name)}") for named in odd)
        raise SparkError("UNPIVOT_REQUIRES_ATTRIBUTES", given="id", empty="value", expressions=shown)
    taken = {named.passes.id for named in ids if named.passes is not None}
    return [passing(frame, a) for a in frame.attributes if a.id not in taken]


@RELATIONS.handles("transpose")
def read_transpose(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    indices = read_columns(message.index_columns, Scope(frame, context))
    if len(indices) > 1:
        raise NotNative("transpose by several columns")
    if indices and indices[0].passes is None:
        raise SparkError("TRANSPOSE_INVALID_INDEX_COLUMN", reason="Index column must be an atomic attribute")
    return transpose(frame, indices[0].passes if indices else None, context)
