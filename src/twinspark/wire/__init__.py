"""Encoding and decoding of Spark Connect, Thrift and Flight messages, shared by the server and the DB-API driver."""
