"""Rules about the stack outputs that fill placeholders."""
