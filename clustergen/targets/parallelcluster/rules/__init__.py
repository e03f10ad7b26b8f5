"""The rules of ParallelCluster: what its own validators would refuse, and what they miss.

Each module has ``RULES`` and ``check``, which looks at a plan and yields findings.
"""
