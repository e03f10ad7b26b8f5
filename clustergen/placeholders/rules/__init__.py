"""Rules on the stack outputs that fill placeholders."""
