"""Why no safe connection (TLS) came about, in words for whoever may only have mixed up http:// and https://.

In:   what was raised, in however many wrappings of libraries.
Out:  half a sentence.
Here nobody knows who wanted to connect, and where to.
"""

import sys
from collections.abc import Iterator

# How a TLS server begins, if what it got is not TLS (RFC 8446 sections 5.1 and 6), as libraries quote it. The second is
# what h11 says of an answer that begins with a control character; it quotes nothing.
_ALERTS = (r"\x15\x03", "illegal request line")


def why_unsafe(error: BaseException) -> str | None:
    """What is wrong with the other side's TLS, and what to do; None if TLS is not what failed.

    >>> import ssl
    >>> why_unsafe(ConnectionError(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")))
    'if it speaks plain HTTP, write http:// instead of https:// (wrong version number)'
    >>> why_unsafe(ConnectionRefusedError()) is None
    True
    """
    ssl = sys.modules.get("ssl")  # costs more to import than all else, and who hasn't got it has had no trouble with it
    for each in _inside(error):
        if any(alert in repr(each) for alert in _ALERTS):
            return "if it speaks TLS, write https:// instead of http://"
        if ssl is not None and isinstance(each, ssl.SSLError):
            if flaw := getattr(each, "verify_message", ""):
                return f"its certificate is not to be trusted ({flaw})"
            words = str(each).rpartition("]")[2].partition("(_ssl")[0].strip()
            return f"if it speaks plain HTTP, write http:// instead of https:// ({words})"
    return None


def _inside(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that it came from or was made of."""
    found = [error]
    for each in found:
        yield each
        nested = [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
        found += [one for one in nested if isinstance(one, BaseException) and one not in found]
