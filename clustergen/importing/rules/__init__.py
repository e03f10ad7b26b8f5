"""Rules about imports. They have no check: their problems occur during the import."""
