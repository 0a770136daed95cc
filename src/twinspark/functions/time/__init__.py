"""Functions for dates, times, timestamps and intervals."""
