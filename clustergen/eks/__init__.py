"""Parts of an EKS cluster as AWS CDK constructs, for every target that creates one."""
