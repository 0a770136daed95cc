"""Emulates a local Spark's row order, its sums per task and its random numbers."""
