"""Real Slurm on the configuration that a service makes of a bundle.

:mod:`parallelcluster` and :mod:`pcs` say what a service adds to a bundle, and what of that is an
assumption; :mod:`cluster` starts slurmctld, slurmdbd and several slurmd with it on one machine;
:mod:`answers` compares what they say with the plan. HyperPod's bundles bring scripts that set up
Slurm, so they run on machines of their own: :mod:`tests.services.hyperpod.real_slurm`.
"""
