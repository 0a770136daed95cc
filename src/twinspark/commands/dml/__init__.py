"""INSERT, DELETE, UPDATE, MERGE and DataFrame writers."""
