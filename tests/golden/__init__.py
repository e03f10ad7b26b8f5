"""Rendered bundles as they are meant to be, for people to read and review.

After a change that is meant, rebuild them with the command that `test_golden.py` names.
"""
