"""Rules on storage: kinds, sizes, throughput, and where it is mounted."""
