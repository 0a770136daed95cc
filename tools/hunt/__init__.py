"""Runs queries that other people wrote on a real Spark and on the native engine, and counts the differences."""
