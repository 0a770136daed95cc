"""Tokens of Spark SQL, the cursor over them, and parse errors."""
