"""What an address may give away: a password before the @, a token behind the ?.

In:   any text, which may be an address.
Out:  the parts of it that nobody else may see.
Here nobody knows whose address it is, or where it is shown.
"""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_NAMED_LIKE_A_SECRET = re.compile(r"key|token|secret|passw|pwd|credential|signature|^sig$", re.IGNORECASE)


def secrets_in(address: str) -> tuple[str, ...]:
    """The password and the query's keys and tokens, as they stand there and decoded; nothing for what is no address.

    >>> secrets_in("https://ann:open%20sesame@example.org/mcp?token=t0p-s3cret&page=2")
    ('open%20sesame', 'open sesame', 't0p-s3cret')
    """
    try:
        parts = urlsplit(address.strip())
        password, query = parts.password, parts.query
    except ValueError:  # such as a bracket without its other half
        return ()
    if not parts.scheme or not parts.netloc:
        return ()
    pairs = [pair.partition("=") for pair in query.split("&")]
    named = [value for name, _, value in pairs if _NAMED_LIKE_A_SECRET.search(unquote(name))]
    decoded = [value for name, value in parse_qsl(query) if _NAMED_LIKE_A_SECRET.search(name)]
    found = [*([password, unquote(password)] if password else []), *named, *decoded]
    return tuple(dict.fromkeys(part for part in found if part))


def shown(address: str) -> str:
    """The address as others may see it.

    >>> shown("https://ann:open-sesame@example.org/mcp?page=2")
    'https://ann:***@example.org/mcp?page=2'
    """
    for secret in secrets_in(address):
        address = address.replace(secret, "***")
    return address
