"""Builders of the schemas, one module for each source."""
