"""Code that runs inside a Python worker process; imported by PySpark's worker, never by the server."""
