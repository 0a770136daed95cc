"""The servers that clients connect to: Spark Connect (gRPC over HTTP/2) and Thrift (HiveServer2)."""
