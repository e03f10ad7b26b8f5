"""What stacks of the AWS CDK are made with; only synthesis and deployment load it."""
