"""Executes the Catalog messages of Spark Connect (spark.catalog)."""
