"""Executes SQL statements other than queries, and the commands of Spark Connect."""
