"""Rules about the form of a spec."""
