"""Reads and writes TCLIService's messages by one table of their fields; a message is a dict."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import Reader, Writer
from twinspark.wire.thrift.columns import COLUMNS, read_column, write_column
from twinspark.wire.thrift.row_values import read_rows, write_rows

Message = dict[str, Any]

# Fields from 1281 on are Databricks' additions; `column<x>` is a T*Column read as one Arrow array, and `rows` is a list
# of TRows read as such columns.
FIELDS = """
THandleIdentifier: 1 guid binary, 2 secret binary
TSessionHandle: 1 sessionId THandleIdentifier, 3329 serverProtocolVersion i32
TOperationHandle: 1 operationId THandleIdentifier, 2 operationType i32, 3 hasResultSet bool, 4 modifiedRowCount double
TStatus: 1 statusCode i32, 2 infoMessages list<string>, 3 sqlState string, 4 errorCode i32, 5 errorMessage string,
  6 displayMessage string, 1281 errorDetailsJson string
TNamespace: 1 catalogName string, 2 schemaName string
TTypeQualifierValue: 1 i32Value i32, 2 stringValue string
TTypeQualifiers: 1 qualifiers map<TTypeQualifierValue>
TPrimitiveTypeEntry: 1 type i32, 2 typeQualifiers TTypeQualifiers
TArrayTypeEntry: 1 objectTypePtr i32
TMapTypeEntry: 1 keyTypePtr i32, 2 valueTypePtr i32
TStructTypeEntry: 1 nameToTypePtr map<i32>
TUserDefinedTypeEntry: 1 typeClassName string
TTypeEntry: 1 primitiveEntry TPrimitiveTypeEntry, 2 arrayEntry TArrayTypeEntry, 3 mapEntry TMapTypeEntry,
  4 structEntry TStructTypeEntry, 5 unionEntry TStructTypeEntry, 6 userDefinedTypeEntry TUserDefinedTypeEntry
TTypeDesc: 1 types list<TTypeEntry>
TColumnDesc: 1 columnName string, 2 typeDesc TTypeDesc, 3 position i32, 4 comment string
TTableSchema: 1 columns list<TColumnDesc>
TColumn: 1 boolVal column<bool>, 2 byteVal column<byte>, 3 i16Val column<i16>, 4 i32Val column<i32>,
  5 i64Val column<i64>, 6 doubleVal column<double>, 7 stringVal column<string>, 8 binaryVal column<binary>
TSparkArrowBatch: 1 batch binary, 2 rowCount i64
TSparkArrowResultLink: 1 fileLink string, 2 expiryTime i64, 3 startRowOffset i64, 4 rowCount i64, 5 bytesNum i64,
  6 httpHeaders map<string>
TRowSet: 1 startRowOffset i64, 2 rows rows, 3 columns list<TColumn>, 4 binaryColumns binary, 5 columnCount i32,
  1281 arrowBatches list<TSparkArrowBatch>, 1282 resultLinks list<TSparkArrowResultLink>
TProgressUpdateResp: 1 headerNames list<string>, 2 rows list<list<string>>, 3 progressedPercentage double, 4 status i32,
  5 footerSummary string, 6 startTime i64
TGetInfoValue: 1 stringValue string, 2 smallIntValue i16, 3 integerBitmask i32, 4 integerFlag i32, 5 binaryValue i32,
  6 lenValue i64
TSparkGetDirectResults: 1 maxRows i64, 2 maxBytes i64
TSparkArrowTypes: 1 timestampAsArrow bool, 2 decimalAsArrow bool, 3 complexTypesAsArrow bool,
  4 intervalTypesAsArrow bool, 5 nullTypeAsArrow bool
TSparkParameterValue: 1 stringValue string, 2 doubleValue double, 3 booleanValue bool
TSparkParameterValueArg: 1 type string, 2 value string, 3 arguments list<TSparkParameterValueArg>
TSparkParameter: 1 ordinal i32, 2 name string, 3 type string, 4 value TSparkParameterValue,
  5 arguments list<TSparkParameterValueArg>
TSparkDirectResults: 1 operationStatus TGetOperationStatusResp, 2 resultSetMetadata TGetResultSetMetadataResp,
  3 resultSet TFetchResultsResp, 4 closeOperation TCloseOperationResp
TOpenSessionReq: 1 client_protocol i32, 2 username string, 3 password string, 4 configuration map<string>,
  1281 getInfos list<i32>, 1282 client_protocol_i64 i64, 1283 connectionProperties map<string>,
  1284 initialNamespace TNamespace, 1285 canUseMultipleCatalogs bool
TOpenSessionResp: 1 status TStatus, 2 serverProtocolVersion i32, 3 sessionHandle TSessionHandle,
  4 configuration map<string>, 1281 getInfos list<TGetInfoValue>, 1284 initialNamespace TNamespace,
  1285 canUseMultipleCatalogs bool
TCloseSessionReq: 1 sessionHandle TSessionHandle
TCloseSessionResp: 1 status TStatus
TSetClientInfoReq: 1 sessionHandle TSessionHandle, 2 configuration map<string>
TSetClientInfoResp: 1 status TStatus
TGetInfoReq: 1 sessionHandle TSessionHandle, 2 infoType i32
TGetInfoResp: 1 status TStatus, 2 infoValue TGetInfoValue
TExecuteStatementReq: 1 sessionHandle TSessionHandle, 2 statement string, 3 confOverlay map<string>, 4 runAsync bool,
  5 queryTimeout i64, 1281 getDirectResults TSparkGetDirectResults, 1282 canReadArrowResult bool,
  1283 canDownloadResult bool, 1284 canDecompressLZ4Result bool, 1285 maxBytesPerFile i64,
  1286 useArrowNativeTypes TSparkArrowTypes, 1287 resultRowLimit i64, 1288 parameters list<TSparkParameter>,
  1289 maxBytesPerBatch i64
TExecuteStatementResp: 1 status TStatus, 2 operationHandle TOperationHandle, 1281 directResults TSparkDirectResults
TGetTypeInfoReq: 1 sessionHandle TSessionHandle, 1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetCatalogsReq: 1 sessionHandle TSessionHandle, 1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetSchemasReq: 1 sessionHandle TSessionHandle, 2 catalogName string, 3 schemaName string,
  1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetTablesReq: 1 sessionHandle TSessionHandle, 2 catalogName string, 3 schemaName string, 4 tableName string,
  5 tableTypes list<string>, 1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetTableTypesReq: 1 sessionHandle TSessionHandle, 1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetColumnsReq: 1 sessionHandle TSessionHandle, 2 catalogName string, 3 schemaName string, 4 tableName string,
  5 columnName string, 1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetFunctionsReq: 1 sessionHandle TSessionHandle, 2 catalogName string, 3 schemaName string, 4 functionName string,
  1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetPrimaryKeysReq: 1 sessionHandle TSessionHandle, 2 catalogName string, 3 schemaName string, 4 tableName string,
  1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetCrossReferenceReq: 1 sessionHandle TSessionHandle, 2 parentCatalogName string, 3 parentSchemaName string,
  4 parentTableName string, 5 foreignCatalogName string, 6 foreignSchemaName string, 7 foreignTableName string,
  1281 getDirectResults TSparkGetDirectResults, 1282 runAsync bool
TGetOperationStatusReq: 1 operationHandle TOperationHandle, 2 getProgressUpdate bool
TGetOperationStatusResp: 1 status TStatus, 2 operationState i32, 3 sqlState string, 4 errorCode i32,
  5 errorMessage string, 6 taskStatus string, 7 operationStarted i64, 8 operationCompleted i64, 9 hasResultSet bool,
  10 progressUpdateResponse TProgressUpdateResp, 11 numModifiedRows i64, 1281 displayMessage string,
  1282 diagnosticInfo string, 1283 errorDetailsJson string
TCancelOperationReq: 1 operationHandle TOperationHandle
TCancelOperationResp: 1 status TStatus
TCloseOperationReq: 1 operationHandle TOperationHandle
TCloseOperationResp: 1 status TStatus
TGetResultSetMetadataReq: 1 operationHandle TOperationHandle
TGetResultSetMetadataResp: 1 status TStatus, 2 schema TTableSchema, 1281 resultFormat i32, 1282 lz4Compressed bool,
  1283 arrowSchema binary, 1284 cacheLookupResult i32, 1285 uncompressedBytes i64, 1286 compressedBytes i64,
  1287 isStagingOperation bool
TFetchResultsReq: 1 operationHandle TOperationHandle, 2 orientation i32, 3 maxRows i64, 4 fetchType i16,
  1281 maxBytes i64, 1282 startRowOffset i64, 1283 includeResultSetMetadata bool
TFetchResultsResp: 1 status TStatus, 2 hasMoreRows bool, 3 results TRowSet,
  1281 resultSetMetadata TGetResultSetMetadataResp
TGetDelegationTokenReq: 1 sessionHandle TSessionHandle, 2 owner string, 3 renewer string
TGetDelegationTokenResp: 1 status TStatus, 2 delegationToken string
TCancelDelegationTokenReq: 1 sessionHandle TSessionHandle, 2 delegationToken string
TCancelDelegationTokenResp: 1 status TStatus
TRenewDelegationTokenReq: 1 sessionHandle TSessionHandle, 2 delegationToken string
TRenewDelegationTokenResp: 1 status TStatus
TGetLogReq: 1 operationHandle TOperationHandle
TGetLogResp: 1 status TStatus, 2 log string
TGetQueryIdReq: 1 operationHandle TOperationHandle
TGetQueryIdResp: 1 queryId string
TApplicationException: 1 message string, 2 type i32
"""

# These nine methods have the same response: a status, and an operation whose rows are fetched with FetchResults.
LISTINGS = [
    "GetTypeInfo", "GetCatalogs", "GetSchemas", "GetTables", "GetTableTypes", "GetColumns", "GetFunctions",
    "GetPrimaryKeys", "GetCrossReference",
]  # fmt: skip
METHODS = [
    "OpenSession", "CloseSession", "GetInfo", "ExecuteStatement", *LISTINGS, "GetOperationStatus", "CancelOperation",
    "CloseOperation", "GetResultSetMetadata", "FetchResults", "GetDelegationToken", "CancelDelegationToken",
    "RenewDelegationToken", "GetQueryId", "SetClientInfo", "GetLog",
]  # fmt: skip


class Codec(NamedTuple):
    """How the values of a field are encoded: the Thrift type, a function that reads and one that writes."""

    wire: int
    read: Callable[[Reader], Any]
    write: Callable[[Writer, Any], None]


@dataclass(frozen=True)
class Struct:
    """The fields of a message, by their Thrift ids and by their names in a dict."""

    name: str
    by_id: dict[int, tuple[str, Codec]]

    def read(self, reader: Reader) -> Message:
        message: Message = {}
        reader.descend()
        while (field := reader.field())[0] != wire.STOP:
            name, codec = self.by_id.get(field[1], ("", None))
            if codec is None or codec.wire != field[0]:
                reader.skip(field[0])
            else:
                message[name] = codec.read(reader)
        reader.depth -= 1
        return message

    def write(self, writer: Writer, message: Message) -> None:
        for identifier, (name, codec) in self.by_id.items():
            if (value := message.get(name)) is not None:
                writer.field(codec.wire, identifier)
                codec.write(writer, value)
        writer.stop()


STRUCTS: dict[str, Struct] = {}


def number_codec(kind: int) -> Codec:
    return Codec(kind, lambda reader: reader.number(kind), lambda writer, value: writer.number(kind, value))


SCALARS = {
    "bool": Codec(wire.BOOL, lambda r: r.number(wire.BYTE) != 0, lambda w, v: w.number(wire.BYTE, bool(v))),
    "byte": number_codec(wire.BYTE),
    "i16": number_codec(wire.I16),
    "i32": number_codec(wire.I32),
    "i64": number_codec(wire.I64),
    "double": number_codec(wire.DOUBLE),
    "string": Codec(wire.STRING, Reader.text, Writer.text),
    "binary": Codec(wire.STRING, Reader.binary, Writer.binary),
    "rows": Codec(wire.LIST, read_rows, write_rows),
}


def codec_of(text: str) -> Codec:
    if text in SCALARS:
        return SCALARS[text]
    outer, _, inner = text.rstrip(">").partition("<") if text.count("<") < 2 else ("list", "", text[5:-1])
    if outer == "list":
        return list_codec(codec_of(inner))
    if outer == "map":
        return map_codec(codec_of(inner))
    if outer == "column":
        return column_codec(inner)
    return struct_codec(text)


def struct_codec(name: str) -> Codec:
    """The struct is looked up when it is used, since TSparkDirectResults refers to structs defined after it."""
    return Codec(wire.STRUCT, lambda r: STRUCTS[name].read(r), lambda w, v: STRUCTS[name].write(w, v))


def column_codec(name: str) -> Codec:
    column = COLUMNS[name]
    return Codec(wire.STRUCT, lambda r: read_column(r, column), lambda w, v: write_column(w, column, v))


def list_codec(item: Codec) -> Codec:
    def read(reader: Reader) -> list[Any]:
        kind, count = reader.list_head()
        if kind != item.wire and count:
            raise wire.WireError(f"a list of Thrift type {kind} where {item.wire} was expected")
        return [item.read(reader) for _ in range(count)]

    def write(writer: Writer, values: list[Any]) -> None:
        writer.list_head(item.wire, len(values))
        for value in values:
            item.write(writer, value)

    return Codec(wire.LIST, read, write)


def map_codec(item: Codec) -> Codec:
    """Every map of this service has string keys."""

    def read(reader: Reader) -> dict[str, Any]:
        key, value, count = reader.map_head()
        if count and (key, value) != (wire.STRING, item.wire):
            raise wire.WireError(f"a map of Thrift types {key} and {value}")
        return {reader.text(): item.read(reader) for _ in range(count)}

    def write(writer: Writer, values: dict[str, Any]) -> None:
        writer.map_head(wire.STRING, item.wire, len(values))
        for name, value in values.items():
            writer.text(name)
            item.write(writer, value)

    return Codec(wire.MAP, read, write)


def parse_fields(text: str) -> dict[str, Struct]:
    lines = re.sub(r",\n\s+", ", ", text).strip().splitlines()
    return {name: Struct(name, dict(map(parse_field, rest.split(", ")))) for name, rest in map(split_line, lines)}


def split_line(line: str) -> tuple[str, str]:
    name, _, rest = line.partition(": ")
    return name, rest


def parse_field(text: str) -> tuple[int, tuple[str, Codec]]:
    identifier, name, kind = text.split(" ")
    return int(identifier), (name, codec_of(kind))


STRUCTS.update(parse_fields(FIELDS))
STRUCTS.update({f"T{name}Resp": STRUCTS["TExecuteStatementResp"] for name in LISTINGS})


def request_of(method: str) -> Struct:
    return STRUCTS[f"T{method}Req"]


def response_of(method: str) -> Struct:
    return STRUCTS[f"T{method}Resp"]


def call_parts(name: str, kind: int, sequence: int, field: int, struct: Struct, message: Message) -> Writer:
    """A whole call (argument in field 1) or reply (result in field 0)."""
    writer = Writer()
    writer.message_head(name, kind, sequence)
    writer.field(wire.STRUCT, field)
    struct.write(writer, message)
    writer.stop()
    return writer


def read_wrapped(reader: Reader, field: int, struct: Struct) -> Message | None:
    """The one field of a call's argument struct or of a reply's result struct."""
    found: Message | None = None
    while (head := reader.field())[0] != wire.STOP:
        if head == (wire.STRUCT, field):
            found = struct.read(reader)
        else:
            reader.skip(head[0])
    return found
