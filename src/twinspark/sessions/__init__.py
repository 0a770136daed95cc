"""Sessions of a server: the state and configuration of each, the journal, access rights, and the choice of an
engine."""
