"""Rules on the CDK itself."""
