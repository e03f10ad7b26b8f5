"""Code for all Slurm targets: smoke tests, job templates, verify.sh, README steps."""
