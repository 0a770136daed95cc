"""Parses statements that are not queries."""
