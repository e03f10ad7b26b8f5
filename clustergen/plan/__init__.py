"""From the spec to the plan: the decisions that every target shares."""
