"""Loading the AWS CDK, and synthesis of constructs; only rendering and deployment need it."""
