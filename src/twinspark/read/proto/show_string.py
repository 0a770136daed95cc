"""Reads the Connect relations of DataFrame.show and its HTML form, which render rows as text."""

from __future__ import annotations

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.plan.relations import Field, ShowString
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.types import STRING

MOST_ROWS = (1 << 31) - 1 - 15 - 1  # ByteArrayMethods.MAX_ROUNDED_ARRAY_LENGTH - 1


@RELATIONS.handles("show_string")
def read_show_string(message: relations_pb2.ShowString, context: Context) -> Frame:
    return show_rows(message, context, "show_string", message.vertical, False)


@RELATIONS.handles("html_string")
def read_html_string(message: relations_pb2.HtmlString, context: Context) -> Frame:
    return show_rows(message, context, "html_string", False, True)


def show_rows(
    message: relations_pb2.ShowString | relations_pb2.HtmlString,
    context: Context,
    name: str,
    vertical: bool,
    html: bool,
) -> Frame:
    frame = read_frame(message.input, context)
    rows = min(max(message.num_rows, 0), MOST_ROWS)
    cells = [
        Named(build.call("to_pretty_string", [frame.column(a)], context.settings), a.name) for a in frame.attributes
    ]
    input = make.limit(make.project(frame, cells), rows + 1).plain()
    return frame_of(
        ShowString(
            input=input,
            names=tuple(a.name for a in frame.attributes),
            rows=rows,
            truncate=message.truncate,
            vertical=vertical,
            html=html,
            fields=(Field(name, STRING, False),),
        )
    )
