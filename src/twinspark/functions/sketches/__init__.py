"""Aggregates whose state is a binary sketch: Apache DataSketches, bitmaps, histograms, count-min."""
