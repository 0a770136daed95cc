"""Runs the recorded cases on twinspark's own engine, and says function by function what is equal."""
