"""Rules on output folders."""
