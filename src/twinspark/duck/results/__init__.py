"""Results as Spark sends them: Arrow with Spark's schema, year-month intervals, and the text of show()."""
