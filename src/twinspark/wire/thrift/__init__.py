"""Thrift's binary protocol and the messages of TCLIService, the service of HiveServer2 and Spark's Thrift server."""
