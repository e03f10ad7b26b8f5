"""Starting the AWS CDK, which only the CDK app needs."""
