"""Every member of the protocol's oneofs has a handler or a line with its reason on the list of what is Spark's."""

import json
from typing import Any

import pytest
from pyspark.sql.connect.proto import commands_pb2, expressions_pb2, types_pb2

from tools.spark_list import COMMANDS, PAGE, members, page
from twinspark.analysis.context import Context
from twinspark.commands.connect_commands import read_command
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.read.proto.literals import PLAIN, read_literal
from twinspark.read.proto.types import read_schema_text, read_type

TYPES = members(types_pb2.DataType, "kind")


def test_the_page_is_as_the_tables_are() -> None:
    assert PAGE.read_text() == page(), "python -m tools.spark_list"


@pytest.mark.parametrize("kind", sorted(set(members(commands_pb2.Command, "command_type")) - COMMANDS))
def test_commands_of_sparks_say_why(kind: str) -> None:
    command = commands_pb2.Command()
    getattr(command, kind).SetInParent()
    session: Any = None
    with pytest.raises(NotNative) as why:
        read_command(command, Context(), session, session)
    assert why.value.cause.reason is not reasons.API_CALL


@pytest.mark.parametrize("kind", TYPES)
def test_types_are_read(kind: str) -> None:
    """All kinds; one without its inner types is incomplete, and an unparsed one is a text."""
    message = types_pb2.DataType()
    getattr(message, kind).SetInParent()
    if kind in ("array", "map"):
        inner = getattr(message, kind)
        for name in ("element_type",) if kind == "array" else ("key_type", "value_type"):
            getattr(inner, name).integer.SetInParent()
    if kind == "udt":
        message.udt.python_class, message.udt.serialized_python_class = "this.Too", "AA=="
        message.udt.sql_type.integer.SetInParent()
    if kind == "unparsed":
        message.unparsed.data_type_string = "int"
    if kind in ("geometry", "geography"):
        getattr(message, kind).srid = 4326
    assert read_type(message).typeName()


def test_classes_of_the_client_are_not_imported() -> None:
    message = types_pb2.DataType()
    message.array.element_type.udt.python_class = "this.Too"
    with pytest.raises(NotNative, match="user-defined"):
        read_type(message)
    field = {"name": "p", "type": {"type": "udt", "pyClass": "this.Too", "sqlType": "double"}, "nullable": True}
    with pytest.raises(NotNative, match="user-defined"):
        read_schema_text(json.dumps({"type": "struct", "fields": [{**field, "metadata": {}}]}))


@pytest.mark.parametrize("kind", [*PLAIN, "time"])
def test_plain_constants_are_read(kind: str) -> None:
    message = expressions_pb2.Expression.Literal()
    if kind == "time":
        message.time.SetInParent()
    else:
        setattr(message, kind, type(getattr(message, kind))())
    assert read_literal(message, Settings()).type.typeName()
