"""Rules that only EKS has, one module for each concern."""
