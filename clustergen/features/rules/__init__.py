"""Rules on the support of features."""
