"""Code shared by the HyperPod targets: the CreateCluster request, scripts and rules."""
