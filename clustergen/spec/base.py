"""What sections of the language share: strictness, and scalars that need more than a type."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from clustergen.spec import shapes
from clustergen.spec.quantities import QuantityError, parse_duration, parse_size


class Section(BaseModel):
    """A mapping of the language: typed strictly, unknown keys refused, never changed once read."""

    # Validators of sections are built as parts of the root's, once, and not for each on its own.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    @classmethod
    def absent(cls, **values: Any) -> Self:
        """The section when the user says nothing; not validated, which would build a validator."""
        return super().model_construct(None, **values)


T = TypeVar("T")


def refuse(message: str, help: str = "") -> PydanticCustomError:
    """The error of a validator: what is wrong, and what to write instead."""
    # Message and help travel in the context: the template of PydanticCustomError expands braces.
    return PydanticCustomError("clustergen", "{message}", {"message": message, "help": help})


def as_typed(value: Any) -> Any:
    """The text behind a number where a string is due: ``version: 1.30`` means "1.30", not 1.3."""
    if isinstance(value, str | bool) or not isinstance(value, int | float):
        return value
    return getattr(value, "text", str(value))


def quantity(parse: Callable[[Any], T]) -> BeforeValidator:
    """A validator for text with a unit; a bare number is refused with its likely readings."""

    def validate(value: Any) -> T:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise refuse(f"{value!r} is not a quantity", "write a number with its unit")
        try:
            return parse(as_typed(value))
        except QuantityError as error:
            raise refuse(error.message, error.help) from None

    return BeforeValidator(validate)


def shaped(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


def _network(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return str(ipaddress.ip_network(value))
    except ValueError:
        raise refuse(f"{value!r} is not a CIDR block", _enclosing(value)) from None


def _enclosing(value: str) -> str:
    try:
        return f"the block that holds it is {ipaddress.ip_network(value, strict=False)}"
    except ValueError:
        return "write it as 203.0.113.0/24"


def _ipv4(value: Any) -> Any:
    if isinstance(value, str) and ":" in value:
        raise refuse(f"{value} is a block of IPv6", "nodes have IPv4 addresses: 10.42.0.0/16")
    return value


Text = Annotated[str, BeforeValidator(as_typed, json_schema_input_type=str | int | float)]
"""A string; a bare number stays the text that was typed."""

GiB = Annotated[int, quantity(parse_size), shaped(r"^[0-9.]+(GiB|TiB|PiB)$", "500GiB")]
"""A size, held in GiB."""

Seconds = Annotated[
    int,
    quantity(parse_duration),
    shaped(r"^([0-9]+[dhms])+$|^([0-9]+-)?[0-9]+:[0-9]{2}:[0-9]{2}$", "7d"),
]
"""A duration, held in seconds."""

Cidr = Annotated[
    str, BeforeValidator(_network), shaped(r"^[0-9a-f.:]+(/[0-9]+)?$", "203.0.113.0/24")
]
"""Addresses, as a block of IPv4 or IPv6; a lone address is a block of one."""

Block = Annotated[
    str,
    BeforeValidator(_network),
    BeforeValidator(_ipv4),
    shaped(r"^[0-9.]+/[0-9]+$", "10.42.0.0/16"),
]
"""A block of IPv4 addresses, of a VPC or subnet."""


VpcId = Annotated[str, Field(pattern=shapes.VPC.pattern)]
SubnetId = Annotated[str, Field(pattern=shapes.SUBNET.pattern)]
SecurityGroupId = Annotated[str, Field(pattern=shapes.SECURITY_GROUP.pattern)]
AmiId = Annotated[str, Field(pattern=shapes.AMI.pattern)]
FileSystemId = Annotated[str, Field(pattern=shapes.FILE_SYSTEM.pattern)]
VolumeId = Annotated[str, Field(pattern=shapes.VOLUME.pattern)]
ReservationId = Annotated[str, Field(pattern=shapes.RESERVATION.pattern)]
Arn = Annotated[str, Field(pattern=shapes.ARN.pattern)]
S3Uri = Annotated[str, Field(pattern=shapes.BUCKET.pattern)]
Name = Annotated[str, Field(pattern=shapes.NAME.pattern)]
"""A name of the user's: what all services accept; a shorter limit of one is its finding."""

MountPath = Annotated[str, Field(pattern=shapes.MOUNT.pattern, max_length=200)]

Setting = Annotated[
    str,
    BeforeValidator(
        lambda v: {True: "YES", False: "NO"}[v] if isinstance(v, bool) else as_typed(v),
        json_schema_input_type=str | int | float | bool,
    ),
]
"""A value of slurm.conf: any scalar, as text; a YAML boolean becomes Slurm's YES or NO."""

Settings = dict[str, Setting]
