"""Builds the catalog of instance types."""
