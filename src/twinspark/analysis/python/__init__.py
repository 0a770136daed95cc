"""Analysis of calls of Python functions."""
