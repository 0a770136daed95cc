"""Functions for JSON, CSV, XML, variants and geometries."""
