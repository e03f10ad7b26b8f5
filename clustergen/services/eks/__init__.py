"""Parts of an EKS cluster as CloudFormation resources, for every target that creates one."""
