"""The Spark engine: a real Apache Spark Connect server, started here or reached at an address."""
