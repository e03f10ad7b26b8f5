"""AWS's own validator of templates, which knows nothing of cfn-lint, in this process."""

import functools
from dataclasses import dataclass

import cloudformation_validate as validate

# Severities below mean facts, not problems.
_WRONG = ("FATAL", "ERROR", "WARN")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that the validator found."""

    rule: str
    severity: str
    resource: str
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.rule} {self.resource} {self.path}: {self.text}"


def diagnose(text: str) -> list[Diagnosis]:
    """What is wrong with a template, false alarms left out."""
    report = _engine().validate_template(validate.TemplateContent(text.encode()), None)
    found = (_diagnosis(each) for each in report.diagnostics)
    return [each for each in found if each.severity in _WRONG and not _is_false_alarm(each)]


@functools.cache
def _engine() -> validate.CompositeEngine:
    return validate.CompositeEngine()


def _diagnosis(found: validate.Diagnostic) -> Diagnosis:
    entity = found.entity
    return Diagnosis(
        found.rule_id,
        found.severity.name,
        getattr(entity, "logical_id", "") or "",
        found.property_path or "",
        found.message,
    )


def _is_false_alarm(found: Diagnosis) -> bool:
    return any(
        found.rule == rule and words in f"{found.path} {found.text}" for rule, words in FALSE_ALARMS
    )


# Rule, and what of its paths and messages is wrong.
FALSE_ALARMS = (
    # CDK writes the order of its own functions' roles down twice.
    ("W3005", "'CustomCDKBucketDeployment"),
    ("W3005", "'SoftwareKubectl"),
    # Types that exist as Capacity Block or training plan only are in no region's list.
    ("E3644", "'ml.p5e.48xlarge'"),
    # The user has named the zone, not its id.
    ("W3010", "Avoid hardcoding availability zones"),
    # What the API documents, and what CDK's own cluster writes:
    # https://docs.aws.amazon.com/eks/latest/APIReference/API_EncryptionConfig.html
    ("W9009", "EncryptionConfig.*.Resources' is deprecated"),
    # Roles of the user's that may use the cluster.
    ("W9002", "Properties.PrincipalArn "),
    ("W9013", "Hardcoded account ID in ARN"),
)
