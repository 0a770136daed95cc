"""Compares our engine with a real Spark on random inputs, and keeps what it finds as recorded cases."""
