"""Names that derive from those in a spec, in the form that the named thing needs.

Services accept more names than the things that are named after their resources: HyperPod accepts
`GPU`, Kubernetes objects are in lower case. A name that has the form already stays as it is.
"""

import re

from clustergen.base.digests import sha256

_LONGEST_OBJECT = 40
"""Objects have suffixes, and their pods a number: 63 characters in all."""


def stack(cluster: str, what: str) -> str:
    """The name of a CloudFormation stack: letters, digits and -, a letter first.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-using-console-create-stack-parameters.html
    """
    text = re.sub(r"[^A-Za-z0-9-]", "-", cluster)
    return f"{text}-{what}" if text[:1].isalpha() else f"cluster-{text}-{what}"


def object_name(group: str) -> str:
    """What the names of Kubernetes objects begin with: a label of DNS.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
    """
    text = re.sub(r"[^a-z0-9-]", "-", group.lower())
    if len(text) <= _LONGEST_OBJECT:
        return text
    return f"{text[: _LONGEST_OBJECT - 7].rstrip('-')}-{sha256(group)[:6]}"
