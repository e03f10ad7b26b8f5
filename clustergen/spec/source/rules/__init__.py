"""Rules about files and text."""
