"""Tests of what monitoring is defined as."""
