"""The pages of the web UI, one module each."""
