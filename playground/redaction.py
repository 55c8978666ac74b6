"""Secrets never reach a log.

In:   the known secret values (API keys from the settings), and the JSON text of what is about to be written.
Out:  the same with each secret masked, and whether anything was.
Here nobody knows which secrets there are, or where the text goes.

Theory of operation
    A secret may stand in a text as it is, JSON-escaped once or more (JSON inside a string inside JSON),
    percent-encoded, in hexadecimal, or in base64, where it looks different at each of three alignments.
    Searching for these few forms in the finished text is quick, and nearly always finds nothing. Only when
    something is found is the text taken apart and each string and key masked; replacing in the JSON text
    itself could tear it.

    JSON also lets any character be written as \\u0073. Our own encoder does that for no ASCII character,
    but a raw body from elsewhere may, so texts that hold such an escape behind a backslash are also
    searched with all escapes undone.

    Whoever shows a long text may cut it, and so may cut a secret in two. What is left of it is no harmless
    beginning: so the first CUT characters of a form are looked for, and as many more as follow.

    Values shorter than MINIMUM are not masked: they are no secrets (a placeholder like "ollama" is common),
    and masking them would tear words out of every record.
"""

import base64
import functools
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote as percent_encode

from playground import anyjson

MASK = "***"
MINIMUM = 8  # characters
CUT = 16  # characters
_ALL_MASKED = '{"masked":"***"}'
_KEY_HEADER = re.compile(r"authorization|cookie|api[-_]?key|secret|token|password", re.IGNORECASE)
_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")


class Redactor:
    """Knows the secrets of one logbook."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= MINIMUM}, key=len, reverse=True)
        self._forms = list(dict.fromkeys(form for secret in known for form in _forms(secret)))
        self.knows_any = bool(known)  # else there is nothing to look for
        self._heads: dict[str, list[str]] = {}
        for form in self._forms:
            self._heads.setdefault(form[:CUT], []).append(form)
        self._bytes = [secret.encode("utf-8", "surrogatepass") for secret in known]
        self._bare = [_bare(anyjson.quote(secret)[1:-1]) for secret in known]

    def finds(self, text: str) -> bool:
        """Whether a secret stands in an ASCII JSON text, in any of its forms."""
        return any(head in text for head in self._heads) or self._hides(text)

    def mask(self, text: str) -> str:
        """A JSON text that holds a secret, without it. Structure and everything else stay."""
        try:
            masked = anyjson.encode(self._masked(json.loads(text)))
        except (ValueError, RecursionError):
            return _ALL_MASKED
        return _ALL_MASKED if self.finds(masked) else masked  # a secret may look like a piece of JSON itself

    def mask_bytes(self, data: bytes) -> bytes:
        """Bytes that are no text, before they are written as base64."""
        for secret in self._bytes:
            data = data.replace(secret, MASK.encode())
        return data

    def _hides(self, text: str) -> bool:
        if "\\u" not in text:
            return False
        bare = _bare(text)
        return any(secret in bare for secret in self._bare)

    def _masked(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self.mask_text(key): self._masked(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._masked(inner) for inner in value]
        if isinstance(value, str):
            return self.mask_text(value)
        return MASK if self.finds(anyjson.encode(value)) else value

    def mask_text(self, text: str) -> str:
        """A text that is shown to somebody, without the secrets in it."""
        for form in self._forms:
            text = text.replace(form, MASK)
        for head, forms in self._heads.items():
            while (at := text.find(head)) >= 0:
                end = at + max(_common(form, text[at : at + len(form)]) for form in forms)
                text = f"{text[:at]}{MASK}{text[end:]}"
        return MASK if self.finds(anyjson.quote(text)) else text


def without_keys(http: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """The account of an HTTP exchange without headers that carry keys, and whether there were any.

    >>> without_keys({"status": 200, "headers": {"Authorization": "Bearer x", "Accept": "*/*"}})
    ({'status': 200, 'headers': {'Accept': '*/*'}}, True)
    """
    kept: dict[str, Any] = {}
    dropped = False
    for name, value in http.items():
        if _is_of_a_key(name):
            dropped = True
            continue
        if isinstance(value, dict):
            value, inner = without_keys(value)
            dropped = dropped or inner
        kept[name] = value
    return kept, dropped


@functools.lru_cache(maxsize=1024)
def _is_of_a_key(name: str) -> bool:
    return _KEY_HEADER.search(name) is not None


def _forms(secret: str) -> Iterable[str]:
    once = anyjson.quote(secret)[1:-1]
    twice = anyjson.quote(once)[1:-1]
    yield from (
        secret,
        once,
        twice,
        anyjson.quote(twice)[1:-1],
        percent_encode(secret, safe="", errors="replace"),
    )
    for shown in (repr(secret)[1:-1], ascii(secret)[1:-1]):  # as our own sentences quote what they got
        yield from (shown, anyjson.quote(shown)[1:-1])
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        # The first and last characters may also hold bits of the neighbors, so only those between them are
        # certain.
        sure = base64.b64encode(bytes(before) + data)[(0, 2, 3)[before] : (before + len(data)) * 8 // 6].decode()
        yield from (sure, sure.replace("+", "-").replace("/", "_"))
    yield from (data.hex(), data.hex().upper())


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _bare(text: str) -> str:
    """The text with all \\u escapes undone, however often the backslash was doubled, and without backslashes."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text).replace("\\", "")
