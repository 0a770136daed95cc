"""The Spark partition of a row and its position there, for functions whose result depends on them."""
