"""Measures the tests: what they cost, and which faults they miss."""
