"""The web UI: pages rendered on the server, over the history of operations and the sessions of the server."""
