"""The AWS partition of a region, as the validators need it. Standard library only."""

_PREFIXES = {"us-gov-": "aws-us-gov", "cn-": "aws-cn"}
_DNS_SUFFIXES = {"aws-cn": "amazonaws.com.cn"}


def partition_of(region: str) -> str:
    """`aws`, `aws-us-gov` or `aws-cn`."""
    return next((p for prefix, p in _PREFIXES.items() if region.startswith(prefix)), "aws")


def dns_suffix_of(region: str) -> str:
    """`amazonaws.com`, or what the partition uses instead of it."""
    return _DNS_SUFFIXES.get(partition_of(region), "amazonaws.com")
