"""Sessions: who is asking, what they set, what they run, and on which engine."""
