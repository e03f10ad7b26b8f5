"""Parts of an EKS cluster, as constructs of the AWS CDK, for every target that creates one."""
