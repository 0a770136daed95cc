"""Random queries, asked of a real Spark and of the embedded engine."""
