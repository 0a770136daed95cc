"""Encodes protobuf fields as bytes to append to a message: in proto3 the last occurrence of a field counts."""

# The field number of the server-side session id, in the request (what the client observed) and response of each RPC.
REQUEST_SESSION_FIELD = {
    "ExecutePlan": 8,
    "AnalyzePlan": 17,
    "Config": 8,
    "AddArtifacts": 7,
    "ArtifactStatus": 5,
    "Interrupt": 7,
    "ReattachExecute": 6,
    "ReleaseExecute": 7,
    "FetchErrorDetails": 5,
    "CloneSession": 5,
    "GetStatus": 4,
}
RESPONSE_SESSION_FIELD = {
    "ExecutePlan": 15,
    "AnalyzePlan": 15,
    "Config": 4,
    "AddArtifacts": 3,
    "ArtifactStatus": 3,
    "Interrupt": 3,
    "ReattachExecute": 15,
    "ReleaseExecute": 3,
    "ReleaseSession": 2,
    "FetchErrorDetails": 3,
    "CloneSession": 2,
    "GetStatus": 2,
}


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def bytes_field(number: int, value: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(value)) + value


def string_field(number: int, value: str) -> bytes:
    return bytes_field(number, value.encode())


def integer_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def encode_observed_session(rpc: str, server_session_id: str) -> bytes:
    """Bytes to append to a request, which set `client_observed_server_side_session_id`."""
    field = REQUEST_SESSION_FIELD.get(rpc)
    return string_field(field, server_session_id) if field else b""


def encode_response_session(rpc: str, server_session_id: str) -> bytes:
    """Bytes to append to a response, which set `server_side_session_id`."""
    return string_field(RESPONSE_SESSION_FIELD[rpc], server_session_id)


def user_field(name: str) -> bytes:
    """Bytes to append to a request, which override the user id in `user_context` (field 2 of every request)."""
    return bytes_field(2, string_field(1, name))
