"""EXPLAIN, CACHE and SET."""
