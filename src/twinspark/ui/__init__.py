"""The metrics server: Prometheus counters over session events, read-only."""
