"""CALL: upkeep of tables, by the names and arguments that Iceberg's own Spark procedures have."""
