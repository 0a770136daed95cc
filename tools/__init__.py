"""Tools of the repository: recording answers from a real Spark, replaying and fuzzing them."""
