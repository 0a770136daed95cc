"""Reads and writes files as Spark does: Parquet, CSV, JSON, ORC, text, and tables of such files."""
