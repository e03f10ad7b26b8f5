"""Deploys bundles. What a bundle deploys is in its file ``bundle.json``."""
