"""The Thrift server: TCLIService (HiveServer2) for BI tools, JDBC and ODBC, over the same engines as Spark Connect."""

from twinspark.doors.thrift.backend import Backend, ConnectBackend
from twinspark.doors.thrift.server import Server, start
from twinspark.doors.thrift.transports import Authenticate, anyone, with_token, with_tokens

__all__ = ["Authenticate", "Backend", "ConnectBackend", "Server", "anyone", "start", "with_token", "with_tokens"]
