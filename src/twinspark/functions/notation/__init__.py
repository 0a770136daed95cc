"""The notation in which functions are registered: Spark's signature, DuckDB's SQL, and typing rules."""
