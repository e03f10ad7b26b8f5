"""What AWS's own documents and nodes look like, written once for all targets."""
