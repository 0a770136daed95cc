"""The Python functions and data sources of a session."""
