"""CALL of Iceberg's stored procedures."""
