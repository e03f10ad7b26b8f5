"""The version of clustergen."""

__version__ = "0.1.0"
