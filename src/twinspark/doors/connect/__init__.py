"""The Spark Connect server: all 12 RPCs of Spark 4.2's SparkConnectService over gRPC."""
