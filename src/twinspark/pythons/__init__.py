"""Python functions run in PySpark's own workers: processes that speak Spark's protocol, fed with Arrow by us."""
