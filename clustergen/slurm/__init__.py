"""What the targets with Slurm share: batch jobs that test a cluster, next steps."""
