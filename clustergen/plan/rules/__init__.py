"""Rules that are checked before or during planning."""
