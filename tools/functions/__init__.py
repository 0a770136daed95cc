"""The page that lists every Spark function and how twinspark answers it."""
