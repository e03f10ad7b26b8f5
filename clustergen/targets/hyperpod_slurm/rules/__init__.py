"""Rules of HyperPod with Slurm, by what they are about."""
