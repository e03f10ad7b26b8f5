"""User data as cloud-init reads it: a MIME multi-part document of known parts.

https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ec2-user-data.html and
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html
(2026-11-20).
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
from email.message import Message

import yaml

MOST_BYTES = 16 * 1024  # before base64

SHELL_PARTS = ("text/x-shellscript", "text/cloud-boothook")
"""Both are run; a boot hook earlier, and on every boot."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: `text/cloud-config`, `text/x-shellscript` or another type, and its text."""

    content_type: str
    text: str


def parts(user_data: str) -> list[Part]:
    """The parts of a base64 text. Raises `ValueError` when it is not base64 of text."""
    message = message_from_string(_decoded(user_data))
    return [_part(part) for part in message.walk() if not part.is_multipart()]


def user_data_violations(user_data: str) -> list[str]:
    """What EC2, PCS or cloud-init would reject or stumble over; `user_data` is base64."""
    try:
        text = _decoded(user_data)
    except ValueError:
        return ["user data is not base64 of text"]
    message = message_from_string(text)
    return [*_size(text), *_form(message), *(b for p in parts(user_data) for b in _content(p))]


def _decoded(user_data: str) -> str:
    try:
        return base64.b64decode(user_data, validate=True).decode()
    except binascii.Error as error:
        raise ValueError(str(error)) from error


def _part(message: Message) -> Part:
    payload = message.get_payload(decode=True)
    text = payload.decode() if isinstance(payload, bytes) else str(payload)
    return Part(message.get_content_type(), text)


def _size(text: str) -> Iterator[str]:
    size = len(text.encode())
    if size > MOST_BYTES:
        yield f"user data of {size} bytes, EC2 takes {MOST_BYTES}"


def _form(message: Message) -> Iterator[str]:
    if message.get_content_type() != "multipart/mixed":
        yield f"user data is {message.get_content_type()}, not MIME multipart/mixed"
    for defect in (defect for part in message.walk() for defect in part.defects):
        yield f"user data is broken MIME: {type(defect).__name__}"


def _content(part: Part) -> Iterator[str]:
    if part.content_type in SHELL_PARTS:
        if not part.text.startswith("#!"):
            yield "a shell part without #! on its first line"
    elif part.content_type == "text/cloud-config":
        yield from cloud_config_violations(part.text)
    elif part.content_type == "application/node.eks.aws":
        yield from node_config_violations(part.text)
    else:
        yield f"a part of type {part.content_type}"


def cloud_config_violations(text: str) -> list[str]:
    """What keeps `text` from being a cloud-config mapping."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [f"cloud-config is not YAML: {error}"]
    return [] if isinstance(document, dict) else ["cloud-config is not a mapping"]


# https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/ (2026-07): the fields of a NodeConfig.
_NODE_CONFIG = {
    "cluster": {"name", "apiServerEndpoint", "certificateAuthority", "cidr", "id", "enableOutpost"},
    "containerd": {"config", "baseRuntimeSpec"},
    "featureGates": {"InstanceIdNodeName", "FastImagePull"},
    "instance": {"localStorage", "environment", "network"},
    "kubelet": {"config", "flags", "maxPodsExpression"},
}
_STRATEGIES = ("RAID0", "RAID10", "Mount")


def node_config_violations(text: str) -> list[str]:
    """What keeps `text` from being a NodeConfig of EKS's nodeadm."""
    try:
        documents = [document for document in yaml.safe_load_all(text) if document is not None]
    except yaml.YAMLError as error:
        return [f"a NodeConfig that is not YAML: {error}"]
    return [b for document in documents for b in _node_config(document)]


def _node_config(document: object) -> Iterator[str]:
    if not isinstance(document, dict) or document.get("kind") != "NodeConfig":
        yield "a part for nodeadm that is no NodeConfig"
        return
    if document.get("apiVersion") != "node.eks.aws/v1alpha1":
        yield f"a NodeConfig of {document.get('apiVersion')}"
    for name, section in document.get("spec", {}).items():
        unknown = section.keys() - _NODE_CONFIG[name] if name in _NODE_CONFIG else {name}
        yield from (f"a NodeConfig has no {field}" for field in sorted(unknown))
    storage = document.get("spec", {}).get("instance", {}).get("localStorage", {})
    if storage and storage.get("strategy") not in _STRATEGIES:
        yield f"local storage as {storage.get('strategy')}, not {', '.join(_STRATEGIES)}"
