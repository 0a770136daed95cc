"""Delta Lake tables, through delta-rs."""
