"""Functions about the session, the partition or Spark itself."""
