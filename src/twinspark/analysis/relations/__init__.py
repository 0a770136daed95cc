"""Builds typed relations: projections, joins, aggregates, set operations, pivots."""
