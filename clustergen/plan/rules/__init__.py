"""Rules that must hold, or show, while a spec is planned."""
