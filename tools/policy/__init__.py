"""Builds what IAM policies are made of."""
