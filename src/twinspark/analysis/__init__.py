"""Spark's analysis rules: resolves names, adds casts, and builds typed relations and expressions."""
