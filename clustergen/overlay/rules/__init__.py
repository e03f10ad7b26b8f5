"""Rules about overlays. They have no check: their problems occur during merging."""
