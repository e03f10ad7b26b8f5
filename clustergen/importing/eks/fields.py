"""An EKS cluster in the words of the language, as far as it has them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.text_lists import word_set
from clustergen.facts import catalog
from clustergen.importing import machines, node_scripts, roles
from clustergen.importing.answers import Answers
from clustergen.importing.companion_files import Beside
from clustergen.importing.eks.form import ACCESS, ADDONS, CLUSTER, EFFECTS, NODE_GROUPS, QUEUES
from clustergen.importing.machines import items, mappings, section
from clustergen.importing.network import network, own_places
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json
from clustergen.services.eks import addons, images
from clustergen.services.eks.launch_templates import METADATA_HOPS
from clustergen.services.eks.roles import NODE_POLICIES
from clustergen.services.kubernetes import access
from clustergen.services.kubernetes.labels_and_taints import (
    GPU_TAINT,
    NEURON_TAINT,
    NODE_GROUP_LABEL,
    SYSTEM,
)

_ADDED: Final = (
    f"clustergen adds a node group {SYSTEM} for DNS and its controllers, besides those of the "
    "original"
)
_NEEDED: Final = word_set("vpc-cni coredns kube-proxy")
_ALSO: Final = (
    "clustergen also installs the add-ons that it needs; EKS adopts those that run already"
)
_ZONES: Final = 2
_MONITORS: Final = {
    addons.KUBE_STATE_METRICS.name: ("metrics", "managed-prometheus"),
    addons.CLOUDWATCH.name: ("dashboards", "cloudwatch"),
}
_POLICIES: Final = (*addons.VPC_CNI.policies, *NODE_POLICIES)
"""Those of all nodes."""
_PARTS: Final = {"control-plane-logs": "Logging", "secrets-key": "EncryptionConfig"}
"""Words for clustergen's additions to a cluster, and their members."""
_KARPENTER: Final = "KarpenterNodeAccess"
"""What templates of clustergen have for the nodes that Karpenter starts."""
_ADMIN: Final = "AmazonEKSClusterAdminPolicy"
_EVERYONE: Final = ["0.0.0.0/0"]


def spec(settings: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of the settings of a cluster, without an overlay."""
    ((name, cluster),) = list(section(settings, CLUSTER).items())[:1]
    groups = section(settings, NODE_GROUPS)
    system = SYSTEM if SYSTEM in groups else ""
    tags = {key: str(value) for key, value in machines.tag_map(cluster).items()}
    shared = _network(cluster, groups, answers, notes)
    queues = list(_queues(groups, answers.beside, notes))
    security = machines.Security.of(
        map(machines.security_groups, groups.values()), None if "vpc" in shared else []
    )
    own = dict(zip(groups, security.own, strict=True))
    if not answers.adopt:
        _report_additions(name, settings, notes)
    found = {
        "version": 1,
        "name": name,
        "region": answers.region,
        "tags": tags,
        "permissions_boundary": roles.boundary(settings),
        "network": {**shared, "security_groups": security.shared},
        "node_groups": [
            {
                **group(key, each, settings),
                "tags": machines.tags(each, name, tags, key),
                "security_groups": own[key],
                **own_places(items(each, "Subnets"), shared, answers.region),
            }
            for key, each in groups.items()
            if key != system
        ]
        or [machines.missing_group((CLUSTER, name), notes)],
        "kubernetes": {
            "autoscaler": "karpenter" if _KARPENTER in section(settings, ACCESS) else None,
            "version": _text(cluster.get("Version")) or None,
            "support": _text(section(cluster, "UpgradePolicy").get("SupportType")).lower() or None,
            "system_nodes": _machine(groups[system]) if system else None,
            "admins": list(_admins(section(settings, ACCESS))),
            "access": list(_access(section(settings, ACCESS), queues)),
            "addons": list(_addons(section(settings, ADDONS))),
            "public_endpoint_from": _public(section(cluster, "ResourcesVpcConfig")),
        },
        "queues": queues,
        "monitoring": _monitoring(section(settings, ADDONS)) if roles.ROLES in settings else {},
        **node_scripts.of_cluster(
            [
                node_scripts.Node(key, node_scripts.user_data(each))
                for key, each in groups.items()
                if key != system
            ],
            answers.beside,
            notes,
        ),
        "storage": list(roles.buckets(settings, notes)),
        "resilience": resilience(each for key, each in groups.items() if key != system),
    }
    protected = str(cluster.get("DeletionProtection")).lower() == "true"
    options = {
        "deletion_protection": True if protected else None,
        **machines.options(groups.values(), METADATA_HOPS),
        "leave_out": [*_left_out(cluster, groups, security), *roles.left_out(settings)],
    }
    own = machines.filled(options) | software(answers, notes)
    return {**machines.filled(found), "targets": {"eks": own}}


def _monitoring(addons: Json) -> Json:
    return dict(words for name, words in _MONITORS.items() if name in addons)


def _left_out(cluster: Json, groups: Json, security: machines.Security) -> Iterator[str]:
    lists = [machines.security_groups(each) for each in groups.values()]
    if lists and not security.shared and not any(map(machines.has_reference, lists)):
        yield "security-groups"
    yield from (word for word, member in _PARTS.items() if not cluster.get(member))


def _report_additions(name: str, settings: Json, notes: Notes) -> None:
    if SYSTEM not in section(settings, NODE_GROUPS):
        notes.decided((CLUSTER, name), _ADDED, "kubernetes")
    if not set(section(settings, ADDONS)) >= _NEEDED:
        notes.decided((CLUSTER, name), _ALSO, "targets")


def software(answers: Answers, notes: Notes) -> Json:
    """A cluster that runs keeps the software that it has, until more is asked for."""
    if not answers.adopt:
        return {}
    notes.decided(
        (),
        "deploy.sh installs no software in the cluster; with `install: script`, it also installs "
        "what `deploy.sh --install --dry-run` shows: compare that with `helm list "
        "--all-namespaces` first",
        "targets",
    )
    return {"install": "none"}


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def resilience(groups: Iterable[Json]) -> Json:
    repaired = [section(group, "NodeRepairConfig").get("Enabled") for group in groups]
    wanted = any(str(each).lower() == "true" for each in repaired)
    return {} if wanted or not repaired else {"replace_failed_nodes": False}


def _public(vpc: Json) -> list[str]:
    """The blocks that reach the endpoint from outside; none if it is private."""
    if str(vpc.get("EndpointPublicAccess", True)).lower() == "false":
        return []
    return [str(block) for block in vpc.get("PublicAccessCidrs") or _EVERYONE]


def _admins(entries: Json) -> Iterable[str]:
    for principal, entry in entries.items():
        policies = mappings(entry, "AccessPolicies")
        if any(str(each.get("PolicyArn")).endswith(_ADMIN) for each in policies):
            yield principal


def _access(entries: Json, queues: Sequence[Json]) -> Iterator[Json]:
    """What principals may do in all namespaces, or in those of queues that manifests have."""
    names = [queue["name"] for queue in queues]
    for principal, entry in entries.items():
        found = access.granted(items(entry, "KubernetesGroups"), names)
        for level, everywhere in dict.fromkeys((level, not queue) for level, queue in found):
            own = [queue for each, queue in found if each == level and queue]
            if principal.startswith("arn:"):
                words = {} if everywhere else {"queues": own}
                yield {"principal": principal, "level": level, **words}


def _queues(groups: Json, beside: Beside, notes: Notes) -> Iterator[Json]:
    """The local queues of Kueue whose flavors are node groups."""
    local, shared, flavors = map(beside.objects, QUEUES)
    for name, queue in local.items():
        cluster = shared.get(str(section(queue, "spec").get("clusterQueue")), {})
        used = [
            section(flavors.get(str(flavor.get("name"))), "spec", "nodeLabels")
            for each in items(cluster, "spec", "resourceGroups")
            for flavor in mappings(each, "flavors")
        ]
        labels = dict.fromkeys(str(each.get(NODE_GROUP_LABEL)) for each in used)
        found = [label for label in labels if label in groups]
        if not found:
            notes.dropped((), f"the queue {name}: no file says what its node groups are")
            continue
        notes.dropped((), f"quotas and settings of the queue {name}: clustergen has its own")
        yield {"name": name, "node_groups": found}


def _addons(known: Json) -> Iterator[Json]:
    """Versions and configurations of add-ons, and add-ons that clustergen does not have."""
    for name, addon in known.items():
        ours = addons.BUILT_IN.get(name)
        entry = {
            "version": addon.get("AddonVersion"),
            "configuration": _configuration(addon, ours.configuration if ours else None),
        }
        if ours is None or machines.filled(entry):
            yield {"name": name, **entry}


def _configuration(addon: Json, ours: Mapping[str, Any] | None) -> Json:
    try:
        given = json.loads(str(addon.get("ConfigurationValues")))
    except ValueError:
        return {}
    found = given if isinstance(given, dict) else {}
    return {key: value for key, value in found.items() if (ours or {}).get(key) != value}


def _network(cluster: Json, groups: Json, answers: Answers, notes: Notes) -> Json:
    used = [groups[SYSTEM]] if SYSTEM in groups else groups.values()
    own = [s for group in used for s in items(group, "Subnets") if isinstance(s, str)]
    control = items(cluster, "ResourcesVpcConfig", "SubnetIds")
    control = [subnet for subnet in control if isinstance(subnet, str)]
    found = network(own or control, (CLUSTER,), "no file names the VPC", answers, notes)
    if "vpc" not in found:
        return found
    return {**found, "control_plane_subnets": _control_plane(control, answers, notes)}


def _control_plane(subnets: Sequence[str], answers: Answers, notes: Notes) -> list[Json]:
    """The subnets of the control plane, which EKS has in two zones at least."""
    known = {id: answers.zones.get(id) or answers.zones.get("") for id in subnets}
    if len(subnets) > 1 and len({zone for zone in known.values() if zone}) < _ZONES:
        text = "the zones of the subnets of the control plane are a guess"
        help = f"use --zone; `aws ec2 describe-subnets --subnet-ids {subnets[0]} ...` shows them"
        notes.asked((CLUSTER,), text, help, "network")
        letters = (chr(ord("a") + number % _ZONES) for number in range(len(subnets)))
        known = {id: f"{answers.region}{each}" for id, each in zip(subnets, letters, strict=False)}
    return [{"id": id, "zone": zone} for id, zone in known.items()]


def _types(group: Json) -> list[str]:
    named = [str(each) for each in items(group, "InstanceTypes")]
    return named or [_text(machines.template(group).get("InstanceType")) or "t3.medium"]


def _machine(group: Json) -> Json:
    low = machines.number(section(group, "ScalingConfig").get("MinSize"), 1)
    return {"instance_type": _types(group)[0], "count": max(low, 1)}


def group(name: str, group: Json, settings: Json) -> Json:
    scaling, types = section(group, "ScalingConfig"), _types(group)
    high, data = machines.number(scaling.get("MaxSize"), 1), machines.template(group)
    # Karpenter starts the nodes of groups whose number changes: those have no node group.
    low = high if _KARPENTER in section(settings, ACCESS) else scaling.get("MinSize")
    return {
        "name": name,
        **({"instance_type": types[0]} if len(types) == 1 else {"instance_types": types}),
        "count": machines.count(low, high),
        "capacity": "spot" if group.get("CapacityType") == "SPOT" else machines.reservation(data),
        **machines.fields(data),
        "image": _image(group, types[0]),
        "iam": roles.of_nodes(group.get("NodeRole"), settings, _POLICIES),
        "accelerator_taint": _accelerator_taint(group, types),
        "labels": {str(k): _text(v) for k, v in section(group, "Labels").items()},
        "taints": [*map(_taint, mappings(group, "Taints"))],
    }


def _accelerator_taint(group: Json, types: Sequence[str]) -> bool | None:
    """False for nodes with accelerators that every pod may use."""
    known = [type for type in map(catalog.find, types) if type]
    wanted = {GPU_TAINT.key for type in known if type.gpus}
    wanted |= {NEURON_TAINT.key for type in known if type.neuron_devices}
    keys = {each.get("Key") for each in mappings(group, "Taints")}
    return False if wanted and not wanted & keys else None


def _image(group: Json, type: str) -> Any:
    known = catalog.find(type)
    image = machines.template(group).get("ImageId")
    if known and group.get("AmiType") in (None, images.ami_type(known), "CUSTOM") and image:
        return image if str(image).startswith("ami-") else None
    return None


def _taint(taint: Json) -> Json:
    return {
        "key": taint.get("Key"),
        "value": taint.get("Value") or None,
        "effect": EFFECTS.get(_text(taint.get("Effect"))),
    }
