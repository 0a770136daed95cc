"""The Spark engine: starts or connects to a real Spark Connect server, supervises it, and relays requests to it."""
