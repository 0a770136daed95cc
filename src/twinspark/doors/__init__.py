"""The servers that clients connect to: Spark Connect and Flight SQL (gRPC over HTTP/2), and Thrift (HiveServer2)."""
