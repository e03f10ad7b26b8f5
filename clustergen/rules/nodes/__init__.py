"""Rules about node groups: types, capacity, interfaces, placement."""
