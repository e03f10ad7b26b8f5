"""Rules about storage: kinds, sizes, throughput, mount points."""
