"""What targets share, by service: documents of AWS, Slurm, Kubernetes, HyperPod, monitoring."""
