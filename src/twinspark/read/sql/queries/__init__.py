"""Parses queries, relations and pipe operators."""
