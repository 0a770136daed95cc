"""The protobuf messages of Arrow Flight and Flight SQL, declared here since pyarrow has no classes for them."""

import re
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

FLIGHT, FLIGHT_SQL = "arrow.flight.protocol", "arrow.flight.protocol.sql"
# Fields as `number type name`; `*` is repeated, `?` is optional (its presence is known), `{}` is a map from strings.
CORE = {
    "HandshakeRequest": "1 uint64 protocol_version, 2 bytes payload",
    "HandshakeResponse": "1 uint64 protocol_version, 2 bytes payload",
    "FlightDescriptor": "1 int32 type, 2 bytes cmd, 3 string* path",
    "Ticket": "1 bytes ticket",
    "Location": "1 string uri",
    "FlightEndpoint": "1 Ticket ticket, 2 Location* location, 4 bytes app_metadata",
    "FlightInfo": "1 bytes schema, 2 FlightDescriptor flight_descriptor, 3 FlightEndpoint* endpoint, "
    "4 int64 total_records, 5 int64 total_bytes, 6 bool ordered, 7 bytes app_metadata",
    "SchemaResult": "1 bytes schema",
    "FlightData": "1 FlightDescriptor flight_descriptor, 2 bytes data_header, 3 bytes app_metadata, "
    "1000 bytes data_body",
    "PutResult": "1 bytes app_metadata",
    "Action": "1 string type, 2 bytes body",
    "ActionType": "1 string type, 2 string description",
    "Result": "1 bytes body",
    "CancelFlightInfoRequest": "1 FlightInfo info",
    "CancelFlightInfoResult": "1 int32 status",
    "StringListValue": "1 string* values",
    "SessionOptionValue": "1 string? string_value, 2 bool? bool_value, 3 sfixed64? int64_value, "
    "4 double? double_value, 5 StringListValue? string_list_value",
    "SessionOptionError": "1 int32 value",
    "SetSessionOptionsRequest": "1 SessionOptionValue{} session_options",
    "SetSessionOptionsResult": "1 SessionOptionError{} errors",
    "GetSessionOptionsRequest": "",
    "GetSessionOptionsResult": "1 SessionOptionValue{} session_options",
    "CloseSessionResult": "1 int32 status",
}
KEYS_OF_A_TABLE = "1 string? catalog, 2 string? db_schema, 3 string table"
SQL = {
    "CommandStatementQuery": "1 string query, 2 bytes? transaction_id",
    "CommandStatementUpdate": "1 string query, 2 bytes? transaction_id",
    "CommandPreparedStatementQuery": "1 bytes prepared_statement_handle",
    "CommandPreparedStatementUpdate": "1 bytes prepared_statement_handle",
    "TicketStatementQuery": "1 bytes statement_handle",
    "DoPutUpdateResult": "1 int64 record_count",
    "DoPutPreparedStatementResult": "1 bytes? prepared_statement_handle",
    "ActionCreatePreparedStatementRequest": "1 string query, 2 bytes? transaction_id",
    "ActionCreatePreparedStatementResult": "1 bytes prepared_statement_handle, 2 bytes dataset_schema, "
    "3 bytes parameter_schema",
    "ActionClosePreparedStatementRequest": "1 bytes prepared_statement_handle",
    "ActionCancelQueryRequest": "1 bytes info",
    "ActionCancelQueryResult": "1 int32 result",
    "TableDefinitionOptions": "1 int32 if_not_exist, 2 int32 if_exists",
    "CommandStatementIngest": "1 TableDefinitionOptions table_definition_options, 2 string table, 3 string? schema, "
    "4 string? catalog, 5 bool temporary, 6 bytes? transaction_id, 1000 string{} options",
    "CommandGetSqlInfo": "1 uint32* info",
    "CommandGetXdbcTypeInfo": "1 int32? data_type",
    "CommandGetCatalogs": "",
    "CommandGetDbSchemas": "1 string? catalog, 2 string? db_schema_filter_pattern",
    "CommandGetTables": "1 string? catalog, 2 string? db_schema_filter_pattern, 3 string? table_name_filter_pattern, "
    "4 string* table_types, 5 bool include_schema",
    "CommandGetTableTypes": "",
    "CommandGetPrimaryKeys": KEYS_OF_A_TABLE,
    "CommandGetExportedKeys": KEYS_OF_A_TABLE,
    "CommandGetImportedKeys": KEYS_OF_A_TABLE,
    "CommandGetCrossReference": "1 string? pk_catalog, 2 string? pk_db_schema, 3 string pk_table, "
    "4 string? fk_catalog, 5 string? fk_db_schema, 6 string fk_table",
}
# What a statement's handle contains: our own messages, which travel through the client and come back unchanged.
OWN = {
    "Statement": "1 string tag, 2 bytes relation, 3 bytes schema",
    "Prepared": "1 string query, 2 bytes* arguments, 3 string* names",
}
FIELD = re.compile(r"(\d+) (\w+)([*?]|\{\})? (\w+)")
SCALARS = ("bytes", "string", "bool", "int32", "int64", "uint32", "uint64", "sfixed64", "double")


def declare_field(message: DescriptorProto, package: str, number: int, type: str, kind: str, name: str) -> None:
    field = message.field.add(name=name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
    if kind == "{}":
        declare_map(message, field, package, type, name)
        return
    if kind == "*":
        field.label = FieldDescriptorProto.LABEL_REPEATED
    if kind == "?":
        field.proto3_optional, field.oneof_index = True, len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{name}")
    declare_type(field, package, type)


def declare_type(field: FieldDescriptorProto, package: str, type: str) -> None:
    if type in SCALARS:
        field.type = FieldDescriptorProto.Type.Value(f"TYPE_{type.upper()}")
    else:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{package}.{type}"


def declare_map(message: DescriptorProto, field: FieldDescriptorProto, package: str, type: str, name: str) -> None:
    """A map is a repeated message of a key and a value."""
    entry_name = "".join(map(str.capitalize, name.split("_"))) + "Entry"
    entry = message.nested_type.add(name=entry_name)
    entry.options.map_entry = True
    declare_field(entry, package, 1, "string", "", "key")
    declare_field(entry, package, 2, type, "", "value")
    field.label, field.type = FieldDescriptorProto.LABEL_REPEATED, FieldDescriptorProto.TYPE_MESSAGE
    field.type_name = f".{package}.{message.name}.{entry_name}"


def declare_file(package: str, messages: dict[str, str]) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for number, type, kind, field in FIELD.findall(fields):
            declare_field(message, package, int(number), type, kind, field)
    return file


class Messages:
    """The classes of one package, by name: `sql.CommandStatementQuery(query="…")`."""

    def __init__(self, pool: descriptor_pool.DescriptorPool, package: str, messages: dict[str, str]) -> None:
        pool.Add(declare_file(package, messages))
        self.package = package
        for name in messages:
            found = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
            setattr(self, name, found)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no message {self.package}.{name}")

    def pack(self, message: Any) -> bytes:
        """Wrapped with its type's name, as Flight SQL sends commands."""
        name = f"type.googleapis.com/{message.DESCRIPTOR.full_name}"
        return serialize(any_pb2.Any(type_url=name, value=serialize(message)))

    def unpack(self, data: bytes) -> Any:
        """The message in an Any; None if that is no message of this package."""
        wrapped = any_pb2.Any.FromString(data)
        package, _, name = wrapped.type_url.rpartition("/")[2].rpartition(".")
        return getattr(self, name).FromString(wrapped.value) if package == self.package and name in vars(self) else None


def serialize(message: Any) -> bytes:
    return bytes(message.SerializeToString())


_pool = descriptor_pool.DescriptorPool()
core = Messages(_pool, FLIGHT, CORE)
sql = Messages(_pool, FLIGHT_SQL, SQL)
own = Messages(_pool, "twinspark.flight", OWN)
