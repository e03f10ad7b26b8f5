"""Rules about the support of features."""
