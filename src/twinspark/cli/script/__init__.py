"""Prepares the process in which `twinspark run` executes a PySpark script, so that the script runs unchanged."""
