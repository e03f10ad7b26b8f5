"""AWS documents and the set-up of nodes, shared by all targets."""
