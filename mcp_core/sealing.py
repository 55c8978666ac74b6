"""`requestState`: what a server wants to remember, kept by the client, sealed so that the client can't change it.

In:   a small JSON value, a secret, the time.
Out:  a text that only the holder of the secret can have written; or the value back; or ProtocolError -32602.
Here nobody knows what is remembered. The seal hides nothing: it is a signature, and the text can be read by anyone.

A stateless server that asks a question forgets the call it asked it for (2026-07-28, Multi Round-Trip Requests). The
client brings the memory back with the answer, and the client may be anybody, so it is bound to one request (its method
and arguments) and it expires.
"""

import base64
import json
from collections.abc import Callable
from typing import Any

from mcp_core.messages import INVALID_PARAMS, ProtocolError

LIFETIME = 600.0  # seconds a user may take to answer


class Seal:
    """Signs and opens states. `now` gives seconds since the epoch; it and `secret` come from the caller.

    >>> seal = Seal(b"secret", now=lambda: 1000.0)
    >>> state = seal.close({"name": "Ana"}, about=["tools/call", {"city": "Rome"}])
    >>> seal.open(state, about=["tools/call", {"city": "Rome"}])
    {'name': 'Ana'}
    >>> seal.open(state, about=["tools/call", {"city": "Paris"}])
    Traceback (most recent call last):
    mcp_core.messages.ProtocolError: The requestState is not one that this server gave out for this request.
    """

    def __init__(self, secret: bytes, now: Callable[[], float]) -> None:
        self._secret, self._now = secret, now

    def close(self, value: Any, about: Any) -> str:
        """Seals a JSON value for the request described by `about`, for LIFETIME seconds.

        >>> Seal(b"secret", now=lambda: 0.0).close({}, about=[]).startswith("v1.")
        True
        """
        body = _b64(_canonical({"value": value, "until": self._now() + LIFETIME}))
        return f"v1.{body}.{self._signature(body, about)}"

    def open(self, state: Any, about: Any) -> Any:
        """The sealed value. Raises ProtocolError -32602 unless this seal closed it for this request, not too long ago.

        >>> seal = Seal(b"secret", now=lambda: 0.0)
        >>> seal.open(seal.close([1, 2], about="x"), about="x")
        [1, 2]
        """
        import hmac

        version, _, rest = state.partition(".") if isinstance(state, str) else ("", "", "")
        body, _, signature = rest.partition(".")
        signed = signature.encode("utf-8", "surrogatepass")
        if version != "v1" or not hmac.compare_digest(signed, self._signature(body, about).encode("ascii")):
            raise ProtocolError(
                INVALID_PARAMS, "The requestState is not one that this server gave out for this request."
            )
        sealed = json.loads(base64.urlsafe_b64decode(body))
        if sealed["until"] < self._now():
            raise ProtocolError(
                INVALID_PARAMS,
                "The requestState has expired; make the call again without it, to be asked again.",
            )
        return sealed["value"]

    def _signature(self, body: str, about: Any) -> str:
        import hmac  # it brings OpenSSL, which a server that asks nothing need not load

        text = body.encode("utf-8", "surrogatepass") + b"." + _canonical(about)
        return _b64(hmac.digest(self._secret, text, "sha256"))


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii")
