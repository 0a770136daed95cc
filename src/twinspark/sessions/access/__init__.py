"""Access control: tokens, TLS, limits, allowed paths and read-only servers."""
