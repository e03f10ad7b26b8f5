"""What an import decided: for the report, and as comments of the spec."""

from dataclasses import dataclass, field

from clustergen.base.findings import Finding, Path
from clustergen.importing.rules import decisions


@dataclass(slots=True)
class Notes:
    """The findings of an import, and the comments that explain it where it was decided."""

    findings: list[Finding] = field(default_factory=list)
    comments: dict[str, list[str]] = field(default_factory=dict)
    """By section of the spec."""
    region_known: bool = True
    """Whether the original or the user names the region."""

    def decided(self, path: Path, text: str, section: str) -> None:
        """Something was written in another way than in the original."""
        self.findings.append(decisions.DECIDED.at(path, text))
        self.comment(section, text)

    def named(self, path: Path, name: str) -> None:
        """The original does not name the cluster."""
        text = f"the file does not name the cluster; it is {name} here: --name changes that"
        self.decided(path, text, "name")

    def asked(self, path: Path, text: str, help: str, section: str) -> None:
        """Something that the original does not say, and that the user has to fill in."""
        self.findings.append(decisions.TO_FILL_IN.at(path, text, help=help))
        self.comment(section, f"FILL IN: {text}; {help}")

    def dropped(self, path: Path, text: str) -> None:
        """Something of the original without a place in a spec, and why."""
        self.findings.append(decisions.DROPPED.at(path, text))

    def rewritten(self, path: Path, text: str) -> None:
        """Something of an older version of the service, in the words of this one."""
        self.findings.append(decisions.REWRITTEN.at(path, text))

    def comment(self, section: str, text: str) -> None:
        known = self.comments.setdefault(section, [])
        if text not in known:
            known.append(text)
