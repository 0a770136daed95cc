"""Encodes Spark Connect messages without protobuf objects, where result data must not be copied or re-encoded."""
