"""Encoding and decoding of Spark Connect and Thrift messages, shared by the server and the DB-API driver."""
