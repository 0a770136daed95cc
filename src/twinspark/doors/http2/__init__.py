"""A gRPC server over HTTP/2 (RFC 9113); docs/decisions/http2-door.md explains why it is our own."""

from twinspark.doors.http2.call import Call, CallRejected
from twinspark.doors.http2.methods import Kind, Method
from twinspark.doors.http2.server import Http2Server

__all__ = ["Call", "CallRejected", "Http2Server", "Kind", "Method"]
