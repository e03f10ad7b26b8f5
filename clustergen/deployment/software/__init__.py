"""Software and objects of a bundle in a cluster of Kubernetes, by kubectl and Helm.

What others have in the cluster stays as it is: objects and releases of the bundle have its label,
and a run stops before it would change anything else.
"""
