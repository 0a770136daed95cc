"""The Spark Connect door: gRPC, all 12 RPCs of Spark 4.2's SparkConnectService."""
