"""The `twinspark` command."""
