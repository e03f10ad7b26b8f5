"""Rules about overlays themselves. They have no check: their problems show while merging."""
