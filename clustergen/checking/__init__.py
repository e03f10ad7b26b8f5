"""From a spec to findings: the compiler, projects, custom rules, fixes, the account."""
