"""Texts that are secrets by their form, and values that are none, whatever their name.

A key of W&B has 40 hexadecimal digits, like a git commit: only a name beside it tells.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

from clustergen.base.patterns import pattern

USER_OPTIONS: Final = frozenset({"-u", "--user", "--proxy-user", "--auth"})
"""Options whose value may be a user and a password: ``bob:hunter2``."""
Part = tuple[int, int]
"""Start and end of a part of a text."""
P = TypeVar("P", bound=tuple[Any, ...])

# Repetitions before something else have a limit: each of many starts would search the whole text.
_KIND: Final = r"[A-Z _-]{0,40}PRIVATE[ _-]KEY-----"
PEM: Final = pattern(f"-----BEGIN{_KIND}")
PEM_END: Final = pattern(f"-----END{_KIND}")
_FORMS: Final = pattern(
    f"-----BEGIN{_KIND}(?s:.*-----END{_KIND}|.*)"
    r"|(?<![A-Za-z0-9])(?:"
    # The body of an OpenSSH key; session tokens of STS; access keys.
    r"(?:b3BlbnNzaC1rZXktdjE|IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[\w+/=%-]*"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl[a-z]{2,5}-[\w-]{20,}|dckr_pat_[\w-]{20,}"
    r"|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|hf_[A-Za-z0-9]{20,}|nvapi-[\w-]{20,}"
    r"|wandb_v1_\w{20,}|AIza[\w-]{35}|hvs\.[\w-]{20,}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_eyJ[\w=-]{20,}"
    r"|tskey-[a-z]{3,12}-[A-Za-z0-9]{6,}-[A-Za-z0-9]{10,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}"
    r"|sk-(?!ssh-|ecdsa-)(?=[\w-]{0,200}[0-9])(?=[\w-]{0,200}[A-Za-z0-9]{16})[\w-]{20,}"
    r"|[sr]k_live_[A-Za-z0-9]{10,}|SG\.[\w-]{16,64}\.[\w-]{16,}|npm_[A-Za-z0-9]{30,}"
    r"|pypi-AgEI[\w-]{16,}|eyJ[\w-]{10,1000}+(?:\.[\w-]*){2,4})"
    r"|(?<=hooks\.slack\.com/services/)(?!FILL-IN)[\w/-]+|(?<=hooks\.slack\.com/workflows/)(?!FILL-IN)[\w/-]+"
    r"|(?<=/api/webhooks/)[0-9]+/[\w-]+|(?<=[?&;]sig=)(?!FILL-IN)[\w%+/=-]+"
    # Signatures of URLs: S3, CloudFront, Google, Azure. Words are shorter, and have no digits.
    r"|(?:(?<=\bSignature=)|(?<=[?&;]signature=)|(?<=\bsig=))(?!FILL-IN)"
    r"(?=[\w%+/=~-]{0,15}[0-9]|[\w%+/=~-]{16})[\w%+/=~-]{10,}"
    r"|(?<=\bKey-Pair-Id=)(?!FILL-IN)[A-Z0-9]{8,}|(?<=X-Amz-Security-Token=)(?!FILL-IN)[\w%+/=-]+"
    r"|(?<=wandb login )[0-9a-f]{40}|(?<=uthorization: Basic )(?!FILL-IN)[\w+/=-]+"
    r"|(?<=Bearer )(?!FILL-IN)(?=[\w.~+/-]{0,200}[0-9])[\w.~+/-]{16,}=*"
    # The password in a URL; the name of an image may have a digest there.
    r"""|://[^\s/@:"']*:(?P<password>(?![${]|FILL-IN)[^\s/"']+)(?=@(?!sha\d+:))"""
    # A user and a password after an option; no user and group, URL, ARN or remote of git.
    r"""|(?<![\w-])(?:-u|--(?:proxy-)?user|--auth)(?:=|["']?,?\s+)["']?(?!arn:|git@|\d+:|[\w.-]{1,60}\.py:)"""
    r"""(?P<who>[\w.@${}-]{1,64}):(?!(?P=who)(?![\w-])|(?:[0-9]+|[a-z_-]{1,9})(?:[\s"',;)\]]|$))"""
    r"""(?P<user>(?![${<*`/]|%\(|FILL-IN)[^\s"']+)"""
    # What SQL, netrc (Enroot), sshpass and the configuration of Docker have.
    r"""|\bIDENTIFIED\s+BY\s+\\?["'](?P<sql>(?![${]|FILL-IN)[^\s"'\\]+)"""
    r"""|\blogin\s+\S{1,200}\s+password\s+(?P<netrc>(?![${<]|FILL-IN)[^\s"']+)"""
    r"""|\bsshpass\s+-p\s*["']?(?P<sshpass>(?![${<]|FILL-IN)[^\s"']+)"""
    r"""|["']auth\\?["']\s*:\s*\\?["'](?P<auth>(?!FILL-IN)(?=[\w+/]{0,40}[A-Z0-9])[\w+/]{8,}={0,2})"""
    # A token in place of the user.
    r"|(?<=://)(?=[\w.-]{0,200}[0-9])(?!FILL-IN)[\w.-]{16,}(?=@(?!sha\d+:))"
    # A secret access key, not at the end of a longer text in base64, and no key of a mapping.
    r"|(?<![\w+.-])(?<![\w+.-]/)(?P<key>(?=[\w/+]{0,39}[a-z])(?=[\w/+]{0,39}[A-Z])(?=[\w/+]{0,39}[0-9])"
    r"""[A-Za-z0-9/+]{40})(?![\w/+=-]|\.\w|["']?\s*:\s)"""
)
# Programs whose option or input has a password, also a short word: for others, -u is a user and a
# group, and -p a port. Apart from the other forms: what is before the option may have one.
_OPTIONS: Final = r"(?:(?:[^|;&\n]|\\\n){0,200}\s)?"
_LITERAL: Final = r"(?![${<*`/-]|%\(|FILL-IN)"
_ECHO: Final = r"""\becho\s+(?:-\w+\s+)?["']?"""
_PIPE: Final = r"""["']?\s*\|\s*(?:sudo\s+)?"""
_COMMANDS: Final = pattern(
    rf"""\bcurl\s{_OPTIONS}(?:-[A-Za-z]{{0,6}}u["']?,?\s*|--(?:proxy-)?user(?:=|["']?,?\s+))["']?"""
    rf"""[\w.@${{}}-]{{1,64}}:(?P<curl>{_LITERAL}[^\s"';|&]+)"""
    # As a program, not as the value of an option, nor in a path; -p3306:3306 are ports.
    r"|(?<!-[a-z] )(?<![\w.:/-])(?:/usr/(?:local/)?bin/)?(?:mysql|mariadb)"
    rf"(?:-?(?:dump|admin|import|check))?\s{_OPTIONS}"
    rf"""-p["']?(?P<mysql>(?![0-9.:]+:[0-9]){_LITERAL}[^\s"';|&]+)"""
    rf"|\b(?:docker|podman|nerdctl|skopeo|crane|oras|registry)\s+login\s{_OPTIONS}"
    rf"""-p(?!assw)[\s=]*["']?(?P<login>{_LITERAL}[^\s"';|&]+)"""
    r"""|\bwandb\s+login\s+(?:--\S{1,100}\s+){1,4}["']?(?P<wandb>[0-9a-f]{40})"""
    rf"""|\bchpasswd\s*<<<\s*["']?[\w.-]{{1,64}}:(?P<given>{_LITERAL}[^\s"'|]+)"""
    rf"""|{_ECHO}[\w.-]{{1,64}}:(?P<echoed>{_LITERAL}[^\s"'|]+){_PIPE}chpasswd(?!\s+-e)"""
    rf"""|{_ECHO}(?P<input>{_LITERAL}[^\s"'|]+){_PIPE}(?:passwd\s+--stdin|kinit\b|realm\s+join"""
    r"|(?:docker|podman|registry|helm\s+registry)\s+login)"
)
_PROGRAMS: Final = ("curl ", "mysql", "mariadb", " login ", "passwd", "kinit", "realm")
_HINTS: Final = (
    *_PROGRAMS,
    *("PRIVATE", "b3BlbnNzaC1rZXktdjE", "IQoJb3", "oGZXIvYXdz", "AKIA", "ASIA", "_pat_", "xox"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "gl", "xapp-", "hf_", "nvapi-", "wandb", "AIza"),
    *("sk-", "eyJ", "hooks.slack", "X-Amz-S", "Bearer ", "Basic ", "@"),
    *("k_live_", "SG.", "npm_", "pypi-", "/webhooks/", "sig="),
    *("ignature=", "Key-Pair-Id=", "-u", "IDENTIFIED", "login", "sshpass", "auth"),
    *("hvs.", "tskey-", "AGE-SECRET"),
)
_LONG: Final = pattern(r"[A-Za-z0-9/+]{40}")
_SHORTEST: Final = 9
_KEY: Final = 40
_PARTS: Final = pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[/+]")
_MOST_PARTS: Final = 12
"""Words and numbers in 40 characters of a name. Of random texts, 0.1 % have so few."""
_LONGEST: Final = 8192
_SSH: Final = pattern(r"(?i:ssh[-_]?key)")
_WORD: Final = pattern(r"[a-z]{1,12}")
"""The name of a key, for a key of SSH has a form."""
_HASH: Final = pattern(r".*[0-9A-F]{8}")
"""What the CDK writes at the end of logical ids."""

_PUBLIC: Final = pattern(
    r"""["']?(?:"""
    r"""arn:[a-z-]+:[^\s"']*|(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-\S.*"""
    # What something else puts in, and what the user still has to write.
    r"|\\?\$(?:[({].*|[a-z_]+|[A-Z_][A-Z0-9_]*|[0-9@*#])|`.*|\{\{.*|[^{]*\{\{[^{}]*\}\}.*|%[({].*"
    r"|<[^<>]*>|.*FILL-IN-.*|[*.xX]*"
    # Words, counts, addresses and paths.
    r"|(?i:true|false|null|none|yes|no|on|off|required|optional|enabled|disabled|auto|default"
    r"|instance|ec2instancemetadata|ecscontainer|environment)"
    r"|[\w.-]{1,64}\.pub"
    r"|[0-9]{1,3}|alias/[\w/-]+|(?:ssm|s3|file|op|vault|env|secretsmanager|https?):(?!//[^\s/]*@)\S*"
    r"|[~.]{0,2}/[\w.-]+(?:/[\w.@-]+)*/?"
    r""")["']?|[|>][+-]?[0-9]?"""
)


def public(value: str, name: str = "") -> bool:
    """Whether a field for secrets may show ``value``: a reference, a public key, a path."""
    if len(value) > _LONGEST:
        return False
    return bool(_PUBLIC.fullmatch(value) or (_SSH.fullmatch(name) and _WORD.fullmatch(value)))


def may_be(text: str) -> bool:
    """Whether ``text`` may hold what is a secret by its form; that is quick to tell."""
    if len(text) < _SHORTEST:
        return False
    for hint in _HINTS:  # any() would take twice as long
        if hint in text:
            return True
    return len(text) >= _KEY and bool(_LONG.search(text))


def in_form(text: str) -> Iterator[Part]:
    """Where ``text`` has a key, a token or a password, by its form; in order, apart."""
    return apart(_in_form(text))


def apart(found: Iterable[P]) -> Iterator[P]:
    """Parts of a text in order, without those that begin within another one."""
    last = 0
    for part in sorted(found, key=lambda part: (part[0], -part[1])):
        if part[0] >= last:
            yield part
            last = part[1]


def _in_form(text: str) -> Iterator[Part]:
    for match in _FORMS.finditer(text) if may_be(text) else ():
        if match["key"] is None or not _is_name(match["key"]):
            yield match.span(match.lastgroup or 0)
    if any(program in text for program in _PROGRAMS):
        yield from (match.span(match.lastgroup or 0) for match in _COMMANDS.finditer(text))


def _is_name(text: str) -> bool:
    """Whether 40 letters and digits are words: a logical id, or a path."""
    parts = sum(1 for _ in _PARTS.finditer(text))
    return parts <= _MOST_PARTS or bool(_HASH.fullmatch(text))
