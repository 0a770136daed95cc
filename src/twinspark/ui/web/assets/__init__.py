"""The style sheet, the script and the icon of the web UI: written by hand, nothing is built."""
