"""Typed plans: relations and expressions with known types, and walks and rewrites over them."""
