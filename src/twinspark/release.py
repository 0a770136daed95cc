"""The Spark release that twinspark reproduces; a test compares both values with Spark's own jar."""

SPARK_VERSION = "4.2.1"
SPARK_REVISION = "617618396087429b5627a86ce933bb0f5d6645cb"
