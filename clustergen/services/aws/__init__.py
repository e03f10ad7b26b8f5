"""AWS documents and node set-up that all targets share."""
