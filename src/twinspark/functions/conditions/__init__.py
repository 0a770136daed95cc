"""Comparisons, boolean logic, conditional functions, raise_error and assert_true."""
