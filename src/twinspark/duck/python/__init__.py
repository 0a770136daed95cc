"""Extracts Python functions from expressions into relations that worker processes evaluate."""
