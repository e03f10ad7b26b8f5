"""Builds the schemas of the documents of services."""
