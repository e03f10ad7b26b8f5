"""The meaning of a cluster's metrics: alerts, dashboards, and what nodes measure.

Everything here is a definition. Who collects the metrics, and where they go, is up to the targets.
"""
