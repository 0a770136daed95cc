"""Asks a running Spark for signatures and answers, and writes them as text cases."""
