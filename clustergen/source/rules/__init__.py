"""Rules on files and text, before they are a spec."""
