"""The web UI, and the metrics server: Prometheus counters over session events."""
