"""Tests of what all clusters of EKS share."""
