"""Long lists of names written as text, which the formatter does not split."""


def words(text: str) -> tuple[str, ...]:
    """The words of ``text``, separated by whitespace."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())
