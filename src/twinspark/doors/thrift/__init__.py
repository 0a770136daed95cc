"""The Thrift door: TCLIService (HiveServer2) for BI tools, JDBC and ODBC, over the same engines as Spark Connect."""

from twinspark.doors.thrift.backend import Backend, ConnectBackend
from twinspark.doors.thrift.server import Authenticate, Server, anyone, start, with_token

__all__ = ["Authenticate", "Backend", "ConnectBackend", "Server", "anyone", "start", "with_token"]
