"""Rules on metrics, dashboards and alerts."""
