"""Intrinsic functions resolved: each resource with the values it would be made with."""

import base64
import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.tables import flow
from tests.validators.cloudformation.attributes import Place, attribute_value, ref_value
from tests.validators.partitions import dns_suffix_of, partition_of
from tests.validators.placeholders import ACCOUNT_ID, resource_id, value_for


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that would be created, with plain values only."""

    logical_id: str
    type: str
    properties: dict[str, Any]


def resolve(
    template: Mapping[str, Any],
    parameters: Mapping[str, str] | None = None,
    region: str = "us-east-1",
) -> list[Resource]:
    """The resources of `template` whose condition holds, in its order.

    A parameter that is not given takes its default, else a value that its type or name suggests.
    Raises `LookupError` where a template refers to something it does not have.
    """
    scope = _Scope(template, parameters or {}, Place(region))
    return [
        Resource(logical_id, body["Type"], scope.value(body.get("Properties", {})))
        for logical_id, body in template.get("Resources", {}).items()
        if scope.holds(body.get("Condition"))
    ]


def outputs(
    template: Mapping[str, Any],
    parameters: Mapping[str, str] | None = None,
    region: str = "us-east-1",
) -> dict[str, str]:
    """The outputs of `template`, with the values they would have; raises as `resolve` does."""
    scope = _Scope(template, parameters or {}, Place(region))
    return {
        name: scope.value(body["Value"])
        for name, body in template.get("Outputs", {}).items()
        if scope.holds(body.get("Condition"))
    }


_NOTHING = object()  # AWS::NoValue: the property is left out

_STORED = "AWS::SSM::Parameter::Value<"

_PARAMETER_ID_PREFIXES = flow("""
{'AWS::EC2::Image::Id': ami, 'AWS::EC2::SecurityGroup::Id': sg, 'AWS::EC2::Subnet::Id': subnet,
  'AWS::EC2::VPC::Id': vpc, 'AWS::EC2::Volume::Id': vol}
""")

# Names that the resource itself sets: what Ref and ARNs of such resources are made of.
_NAME_PROPERTIES = ("Name", "BucketName", "RoleName", "InstanceProfileName", "LogGroupName")


@dataclass(frozen=True, slots=True)
class _Scope:
    template: Mapping[str, Any]
    parameters: Mapping[str, str]
    place: Place

    def holds(self, condition: str | None) -> bool:
        if condition is None:
            return True
        conditions = self.template.get("Conditions", {})
        if condition not in conditions:
            raise LookupError(f"no condition {condition}")
        return bool(self.value(conditions[condition]))

    def value(self, node: Any) -> Any:
        if isinstance(node, Mapping):
            function = next(iter(node), None)
            if len(node) == 1 and isinstance(function, str) and function in _FUNCTIONS:
                return _FUNCTIONS[function](self, node[function])
            resolved = {key: self.value(item) for key, item in node.items()}
            return {key: item for key, item in resolved.items() if item is not _NOTHING}
        if isinstance(node, list):
            return [item for item in map(self.value, node) if item is not _NOTHING]
        return self.dynamic(node) if isinstance(node, str) else node

    def dynamic(self, text: str) -> str:
        """Dynamic references, such as `{{resolve:ssm:/aws/service/.../ami-id}}`."""
        return re.sub(r"\{\{resolve:([a-z-]+):([^}]*)\}\}", self._looked_up, text)

    @staticmethod
    def _looked_up(found: re.Match[str]) -> str:
        is_image = found[1] == "ssm" and re.search(r"ami|image", found[2])
        return resource_id("ami", found[2]) if is_image else "looked-up"

    def ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return _NOTHING
        if name in (pseudo := self._pseudo_parameters()):
            return pseudo[name]
        if name in self.template.get("Parameters", {}):
            return self._parameter(name, self.template["Parameters"][name])
        body = self._resource(name)
        return ref_value(body["Type"], name, self._own_name(body), self.place)

    def get_att(self, target: Any) -> str:
        logical_id, attribute = target.split(".", 1) if isinstance(target, str) else target
        body = self._resource(logical_id)
        own = self._own_name(body)
        return attribute_value(body["Type"], logical_id, self.value(attribute), own, self.place)

    def sub(self, argument: Any) -> str:
        text, local = argument if isinstance(argument, list) else (argument, {})
        values = {key: str(self.value(item)) for key, item in local.items()}

        def replaced(found: re.Match[str]) -> str:
            name = found[1]
            if name.startswith("!"):
                return "${" + name[1:] + "}"
            if name in values:
                return values[name]
            return str(self.get_att(name) if "." in name else self.ref(name))

        return self.dynamic(re.sub(r"\$\{([^}]+)\}", replaced, text))

    def _resource(self, logical_id: str) -> Mapping[str, Any]:
        resources: Mapping[str, Any] = self.template.get("Resources", {})
        if logical_id not in resources:
            raise LookupError(f"nothing in the template is called {logical_id}")
        body: Mapping[str, Any] = resources[logical_id]
        return body

    def _own_name(self, body: Mapping[str, Any]) -> str | None:
        properties = body.get("Properties", {})
        named = (self.value(properties[key]) for key in _NAME_PROPERTIES if key in properties)
        return next((name for name in named if isinstance(name, str)), None)

    def _parameter(self, name: str, body: Mapping[str, Any]) -> Any:
        kind = str(body.get("Type", "String"))
        # Of a stored parameter, the template gives the name under which its value is found.
        is_list = kind.startswith(("List<", "CommaDelimitedList"))
        given = self.parameters.get(name, body.get("Default"))
        if kind.startswith(_STORED) or given is None:
            given = self._guess(name, re.sub(rf"^(List<|{_STORED})|>$", "", kind))
        return [part.strip() for part in str(given).split(",")] if is_list else given

    def _guess(self, name: str, kind: str) -> str:
        if prefix := _PARAMETER_ID_PREFIXES.get(kind):
            return resource_id(prefix, name)
        return value_for(name, self.place.region)

    def _pseudo_parameters(self) -> dict[str, Any]:
        region, stack = self.place.region, self.place.stack_name
        return {
            "AWS::AccountId": ACCOUNT_ID,
            "AWS::NotificationARNs": [],
            "AWS::Partition": partition_of(region),
            "AWS::Region": region,
            "AWS::StackId": self.place.arn("cloudformation", f"stack/{stack}/0a1b2c3d-4e5f"),
            "AWS::StackName": stack,
            "AWS::URLSuffix": dns_suffix_of(region),
        }


def _join(scope: _Scope, argument: Any) -> str:
    separator, parts = argument
    return str(separator).join(str(part) for part in scope.value(parts))


def _select(scope: _Scope, argument: Any) -> Any:
    index, parts = argument
    return scope.value(parts)[int(scope.value(index))]


def _split(scope: _Scope, argument: Any) -> list[str]:
    separator, text = argument
    return str(scope.value(text)).split(separator)


def _base64(scope: _Scope, argument: Any) -> str:
    return base64.b64encode(str(scope.value(argument)).encode()).decode()


def _if(scope: _Scope, argument: Any) -> Any:
    condition, then, otherwise = argument
    return scope.value(then if scope.holds(condition) else otherwise)


def _equals(scope: _Scope, argument: Any) -> bool:
    left, right = scope.value(argument)
    return str(left) == str(right)


def _find_in_map(scope: _Scope, argument: Any) -> Any:
    name, first, second = scope.value(argument[:3])
    return scope.value(scope.template["Mappings"][name][first][second])


def _zones(scope: _Scope, argument: Any) -> list[str]:
    region = scope.value(argument) or scope.place.region
    return [f"{region}{letter}" for letter in "abc"]


def _cidr(scope: _Scope, argument: Any) -> list[str]:
    block, count, bits = scope.value(argument)
    network = ipaddress.ip_network(block)
    subnets = network.subnets(new_prefix=network.max_prefixlen - int(bits))
    return [str(subnet) for subnet, _ in zip(subnets, range(int(count)), strict=False)]


_FUNCTIONS: dict[str, Callable[[_Scope, Any], Any]] = {
    "Condition": lambda scope, argument: scope.holds(argument),
    "Fn::And": lambda scope, argument: all(scope.value(argument)),
    "Fn::Base64": _base64,
    "Fn::Cidr": _cidr,
    "Fn::Equals": _equals,
    "Fn::FindInMap": _find_in_map,
    "Fn::GetAZs": _zones,
    "Fn::GetAtt": lambda scope, argument: scope.get_att(argument),
    "Fn::If": _if,
    "Fn::ImportValue": lambda scope, argument: value_for(scope.value(argument), scope.place.region),
    "Fn::Join": _join,
    "Fn::Not": lambda scope, argument: not scope.value(argument)[0],
    "Fn::Or": lambda scope, argument: any(scope.value(argument)),
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::Sub": lambda scope, argument: scope.sub(argument),
    "Ref": lambda scope, argument: scope.ref(argument),
}
