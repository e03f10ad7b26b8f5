"""Builds the compiled models of the spec."""
