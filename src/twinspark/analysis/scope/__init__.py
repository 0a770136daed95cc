"""Name resolution: scopes, plan ids, outer references, suggestions."""
