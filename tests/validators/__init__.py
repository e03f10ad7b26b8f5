"""Validators: validators that this project did not write, run over the artifacts it renders.

`parallelcluster` runs ParallelCluster's own schema and validators, `service_model` the AWS service
models, `cloudformation` cfn-lint and the requests that a template implies, `network_interfaces`
EC2's per-card facts, `iam` the facts of IAM's actions and AWS's managed policies, `hyperpod` what
SageMaker's documentation asks of a cluster, `shell` shellcheck and shfmt. None of them imports the
compiler.
"""
