"""Sorts as Spark executes them: which of them it removes, and what they do with equal keys."""
