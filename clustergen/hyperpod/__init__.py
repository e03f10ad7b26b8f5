"""What the two HyperPod targets share: one model of a CreateCluster request, and its writers."""
