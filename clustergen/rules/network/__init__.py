"""Rules about the network: addresses, zones, access."""
