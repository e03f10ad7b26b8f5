"""Rules on node groups: types, capacity, interfaces, placement."""
