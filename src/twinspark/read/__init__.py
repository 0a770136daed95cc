"""Reads Connect messages and SQL text into typed plans."""
