"""What the two HyperPod targets share: the CreateCluster request, its scripts and its rules."""
