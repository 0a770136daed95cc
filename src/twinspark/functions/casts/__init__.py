"""Casts between Spark's types: which are allowed, and their SQL for DuckDB."""
