"""What runs on the nodes of every service: scripts, checks of nodes, NCCL, torchrun."""
