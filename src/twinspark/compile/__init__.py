"""Compiles a typed plan into the one SQL statement that DuckDB runs."""
