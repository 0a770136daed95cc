"""Parses expressions, literals and data types."""
