"""The history of operations: recorded when they end, kept in a bounded SQLite file, read by SQL and by the web UI."""
