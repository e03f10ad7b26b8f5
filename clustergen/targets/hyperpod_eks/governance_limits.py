"""What HyperPod task governance accepts, as of 2026-11-20. The source is above each table."""

from clustergen.base.text_lists import word_set

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_"
QUOTA = f"{_API}ComputeQuotaConfig.html"
SCHEDULER = f"{_API}SchedulerConfig.html"
POLICIES = (
    "https://docs.aws.amazon.com/sagemaker/latest/dg/"
    "sagemaker-hyperpod-eks-operate-console-ui-governance-policies.html"
)
PARTITION = f"{_API}AcceleratorPartitionConfig.html"

# botocore 1.44.5 sagemaker: PriorityClassList, PriorityWeight, ComputeQuotaResourceConfigList;
# 2026-11-20.
MAX_CLASSES = 10
MAX_WEIGHT = 100
MAX_RESOURCES = 15

# A team may borrow so many percent of idle compute by QUOTA, and of its own quota by POLICIES; the
# default is 50. botocore 1.44.5: BorrowLimit; 2026-11-23.
ALL_IDLE_PERCENT = 100
MAX_BORROW_PERCENT = 10000

# botocore 1.44.5 sagemaker: MIGProfileType, the same as in CloudFormation; 2026-11-20.
PARTITIONS = word_set("""
    1g.5gb 1g.10gb 1g.18gb 1g.20gb 1g.23gb 1g.35gb 1g.45gb 1g.47gb
    2g.10gb 2g.20gb 2g.35gb 2g.45gb 2g.47gb
    3g.20gb 3g.40gb 3g.71gb 3g.90gb 3g.93gb
    4g.20gb 4g.40gb 4g.71gb 4g.90gb 4g.93gb
    7g.40gb 7g.80gb 7g.141gb 7g.180gb 7g.186gb
""")
"""MIG profiles that a quota can count."""

# cfn-lint 1.58.0 data/schemas/providers: regions whose CloudFormation has both
# AWS::SageMaker::ClusterSchedulerConfig and AWS::SageMaker::ComputeQuota; 2026-10-20.
TEMPLATE_REGIONS = frozenset({"ap-south-1", "eu-central-1", "me-south-1", "us-east-1"})
