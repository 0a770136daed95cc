"""Spark's configuration settings: their keys and defaults, and how the text of a value is parsed."""
