"""The views of a session: temporary views, and views that are read from their SQL text."""
