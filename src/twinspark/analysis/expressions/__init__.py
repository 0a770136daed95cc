"""Builds typed expressions: calls, casts, literals, lambdas, windows, subqueries."""
