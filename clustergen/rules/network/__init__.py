"""Rules on the network: addresses, zones, reachability."""
