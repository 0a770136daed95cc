"""Where the browser of these tests is, and how it is started."""

from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")  # Debian's package
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)
