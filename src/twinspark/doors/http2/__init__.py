"""gRPC over HTTP/2 (RFC 9113), as far as a server needs it; why it is ours: docs/decisions/http2-door.md."""

from twinspark.doors.http2.call import Call, Refused
from twinspark.doors.http2.methods import Kind, Method
from twinspark.doors.http2.server import Http2Server

__all__ = ["Call", "Http2Server", "Kind", "Method", "Refused"]
