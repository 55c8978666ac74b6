"""Content blocks of MCP, for a model to read.

In:   a block: text, image, audio, resource or resource_link.
Out:  its text, or a line that describes it; and the media in it, for the providers that take them.
Here nobody knows providers' formats.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from playground.host.calls import Block, compact

IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")  # the four that all providers take


@dataclass(frozen=True, slots=True)
class Medium:
    """Data in base64 and its type, such as image/png."""

    mime: str
    data: str


def medium(block: Block) -> Medium | None:
    """The picture or document of a block, or of the resource in it; None if it has none or its data is broken."""
    holder = block.get("resource") if block["type"] == "resource" else block
    if not isinstance(holder, Mapping):
        return None
    mime, data = holder.get("mimeType"), holder.get("blob" if block["type"] == "resource" else "data")
    if not isinstance(mime, str) or not isinstance(data, str) or not data:
        return None
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return Medium(mime.partition(";")[0].strip().lower(), data)


def as_text(block: Block) -> str:
    """The text of a block, or what a model should know of one that it can't be given."""
    if block["type"] == "text":
        return str(block["text"])
    if block["type"] == "resource" and isinstance(resource := block.get("resource"), Mapping):
        if isinstance(text := resource.get("text"), str):
            return f"[Resource {resource.get('uri', '')}]\n{text}"
        return f"[Resource {resource.get('uri', '')}: {_described(resource, 'blob')}]"
    if block["type"] == "resource_link":
        told = [str(block[key]) for key in ("uri", "title", "name", "mimeType", "description") if block.get(key)]
        return f"[Link to a resource: {', '.join(told)}]"
    if block["type"] in ("image", "audio"):
        return f"[{block['type'].capitalize()}: {_described(block, 'data')}]"
    return compact(block)


def all_text(blocks: Iterable[Block]) -> str:
    return "\n".join(map(as_text, blocks))


def _described(holder: Mapping[str, Any], key: str) -> str:
    data = holder.get(key)
    size = f"{len(data) * 3 // 4:,} bytes" if isinstance(data, str) else "no data"
    return f"{holder.get('mimeType', 'unknown type')}, {size}; it can't be shown to you"


def clean(value: Any) -> Any:
    """The same JSON value without lone surrogates: they are legal in JSON's escapes, but no UTF-8 can carry
    them.

    >>> clean({"a": ["\\ud800!"]})
    {'a': ['\ufffd!']}
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value
