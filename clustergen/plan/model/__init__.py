"""The plan: resolved defaults, instance types with their facts, network interfaces.

A plan is for one target, because a few decisions (the form of network interfaces, SMT) differ
between targets. Emitters read only plans.
"""

from clustergen.plan.model.cluster import NEW as NEW
from clustergen.plan.model.cluster import Decision as Decision
from clustergen.plan.model.cluster import Existing as Existing
from clustergen.plan.model.cluster import Options as Options
from clustergen.plan.model.cluster import OwnOptions as OwnOptions
from clustergen.plan.model.cluster import Plan as Plan
from clustergen.plan.model.cluster import Scheduler as Scheduler
from clustergen.plan.model.cluster import Traits as Traits
from clustergen.plan.model.foundation import Foundation as Foundation
from clustergen.plan.model.kubernetes import ClusterAccess as ClusterAccess
from clustergen.plan.model.kubernetes import ClusterAddon as ClusterAddon
from clustergen.plan.model.kubernetes import Kubernetes as Kubernetes
from clustergen.plan.model.network import Id as Id
from clustergen.plan.model.network import Network as Network
from clustergen.plan.model.network import Ref as Ref
from clustergen.plan.model.network import Subnet as Subnet
from clustergen.plan.model.nodes import Capacity as Capacity
from clustergen.plan.model.nodes import CapacityKind as CapacityKind
from clustergen.plan.model.nodes import Grant as Grant
from clustergen.plan.model.nodes import Iam as Iam
from clustergen.plan.model.nodes import Interface as Interface
from clustergen.plan.model.nodes import Machine as Machine
from clustergen.plan.model.nodes import NodeGroup as NodeGroup
from clustergen.plan.model.nodes import Placement as Placement
from clustergen.plan.model.nodes import Queue as Queue
from clustergen.plan.model.nodes import Role as Role
from clustergen.plan.model.nodes import Taint as Taint
from clustergen.plan.model.nodes import Volume as Volume
from clustergen.plan.model.slurm import Account as Account
from clustergen.plan.model.slurm import Database as Database
from clustergen.plan.model.slurm import Qos as Qos
from clustergen.plan.model.slurm import Slurm as Slurm
from clustergen.plan.model.software import Alerts as Alerts
from clustergen.plan.model.software import Monitoring as Monitoring
from clustergen.plan.model.software import Resilience as Resilience
from clustergen.plan.model.software import Script as Script
from clustergen.plan.model.software import Software as Software
from clustergen.plan.model.software import User as User
from clustergen.plan.model.storage import Bucket as Bucket
from clustergen.plan.model.storage import Ebs as Ebs
from clustergen.plan.model.storage import Efs as Efs
from clustergen.plan.model.storage import FileCache as FileCache
from clustergen.plan.model.storage import Lustre as Lustre
from clustergen.plan.model.storage import Ontap as Ontap
from clustergen.plan.model.storage import OpenZfs as OpenZfs
from clustergen.plan.model.storage import Raid as Raid
from clustergen.plan.model.storage import Repository as Repository
from clustergen.plan.model.storage import Storage as Storage
