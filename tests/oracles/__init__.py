"""Judges: validators that this project did not write, run over the artifacts it renders.

`parallelcluster` runs ParallelCluster's own schema and validators, `service_model` the AWS service
models, `cloudformation` cfn-lint and the requests that a template implies, `network_interfaces`
EC2's per-card facts, `shell` shellcheck and shfmt. None of them imports the compiler.
"""
