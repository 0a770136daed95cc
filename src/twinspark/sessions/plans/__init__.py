"""Reads plans in a session: the context that a plan is analyzed in, and the cache of compiled plans."""
