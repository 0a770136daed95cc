"""Finds the newest metadata file of an Iceberg table in a directory, whichever program wrote it."""

import os
import re

METADATA = re.compile(r"v?(\d+)(?:-[^/]*)?(?:\.gz)?\.metadata\.json(?:\.gz)?")


def newest_metadata(place: str) -> str | None:
    """The metadata file with the highest version, the latest of equals; None if there is no table."""
    folder = os.path.join(place, "metadata")
    if not os.path.isdir(folder):
        return None
    numbered = [(METADATA.fullmatch(each.name), each) for each in os.scandir(folder)]
    found = [(int(match[1]), each.stat().st_mtime_ns, each.path) for match, each in numbered if match]
    return max(found)[2] if found else None
