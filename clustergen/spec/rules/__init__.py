"""Rules on the form of a spec."""
