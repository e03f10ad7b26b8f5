"""Loading the AWS CDK and synthesizing constructs; only rendering and deployment need it."""
