"""Runs Python functions in PySpark's own worker processes, which get their rows as Arrow over Spark's worker
protocol."""
