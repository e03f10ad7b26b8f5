"""Rules on what a target makes of a feature."""
