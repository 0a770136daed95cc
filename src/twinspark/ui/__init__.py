"""What the server tells about itself: counters over session events; reads, never writes."""
