"""Preflight: what would stop a deployment in an account."""
