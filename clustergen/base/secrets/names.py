"""Names of fields, variables and options that hold secrets."""

import functools
from typing import Final

from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set, words

_WORD: Final = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET: Final = pattern(
    r"pass_?(?:word|wort|wd|phrase|code)s?|secret(?!s)|credentials?|storagepass|ssh_?key(?!s)"
    r"|authtok(?![a-z])|requirepass|(?:bind|root|user|admin|db)(?:pass|pwd?)(?=_?[0-9]*$)"
    r"|(?:private|api|access|auth|account|signing|jwt|munge|wandb|ngc|fernet|sse_c(?:ustomer)?)_?keys?"
    r"|(?:routing|integration|license|preshared|hmac|service)_key(?!s)"
    r"|secure_?json_?data|secure_?settings|docker_?config_?json|docker_?cfg"
    r"|token(?=_?[0-9]*$)|(?<![a-z])(?:pass|pwd|pw)(?=_?[0-9]*$)"
)
_NOT_ALONE: Final = "pwd"
"""Without a word before it, it means the working folder."""
_ABOUT: Final = word_set(
    "arn ref name names id ids file files path dir folder url uri endpoint host port version type"
    " kind class provider store manager driver csi mount volume namespace region role service"
    " authentication policy rotation algorithm encryption ttl seconds minutes hours days age max"
    " min length size count limit timeout duration expiration expires lifetime audience projection"
    " required enabled disabled change changed reset prefix suffix selector label labels env"
    " owner source stdin"
)
"""After such a word, a name is about a secret, and holds none: SecretArn, PASS_MAX_DAYS."""
_OTHER: Final = {
    "token": word_set(
        "pad eos bos unk cls sep mask special stop start end image max per next client request"
        " total train sequence num"
    ),
    "secret": word_set("existing pull tls"),
}
"""Words before: tokens of models, pages of an API, names of Kubernetes secrets."""
VALUES: Final = word_set("default value plaintext parametervalue")
"""Keys for the value of what another key names."""
_STRUCTURE: Final = word_set(
    "type properties ref valuefrom secretkeyref secretname existingsecret name key arn secretarn"
    " path audience provider enabled create condition description metadata noecho"
)
_HINTS: Final = words("pass pw secret credential key token authtok secure docker")


def may_name(text: str) -> bool:
    """Whether ``text`` may hold the name of a secret; that is quick to tell."""
    text = text.casefold()
    for hint in _HINTS:  # noqa: SIM110 any() takes twice as long
        if hint in text:
            return True
    return False


def is_secret(name: str) -> bool:
    """Whether what has this name is a secret: ``HF_TOKEN``, ``--db-password``, ``apiKey``."""
    return may_name(name) and _is_secret(name)


@functools.lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    said = "_".join(_WORD.findall(name)).casefold()
    found = _SECRET.search(said)
    if found is None or said == _NOT_ALONE:
        return False
    before, after = said[: found.start()].split("_"), said[found.end() :].split("_")
    others = _OTHER.get(found[0], frozenset())
    return others.isdisjoint(before[-2:]) and _ABOUT.isdisjoint(after)


def is_structure(key: str) -> bool:
    """Whether ``key`` describes what it is in: of a resource, a parameter, a reference."""
    return key.casefold() in _STRUCTURE or key.startswith("Fn::")
