"""The recorded cases: their text format, and the one way values and types are written in them."""
