"""The blocks that results and prompts are made of: text, image, audio, a link to a resource, a resource itself.

In:   what a tool wants to show. Out: the JSON object the specification prescribes for it (server/tools, Tool Result).
Here nobody knows who reads it; revisions.trim_content decides what an older client can be sent.
"""

import base64
from typing import Any

Block = dict[str, Any]


def text(words: str) -> Block:
    """A text block.

    >>> text("hello")
    {'type': 'text', 'text': 'hello'}
    """
    return {"type": "text", "text": words}


def image(data: bytes, mime_type: str = "image/png") -> Block:
    """An image block; the bytes travel as base64.

    >>> image(b"\\x89PNG")
    {'type': 'image', 'data': 'iVBORw==', 'mimeType': 'image/png'}
    """
    return {"type": "image", "data": base64.b64encode(data).decode("ascii"), "mimeType": mime_type}


def audio(data: bytes, mime_type: str = "audio/wav") -> Block:
    """An audio block; known since 2025-03-26.

    >>> audio(b"RIFF")["type"]
    'audio'
    """
    return {**image(data, mime_type), "type": "audio"}


def link(uri: str, name: str, **details: Any) -> Block:
    """A link to a resource that the client may read later; known since 2025-06-18.

    >>> link("playground://files/a.txt", "a.txt", mimeType="text/plain")["mimeType"]
    'text/plain'
    """
    return {"type": "resource_link", "uri": uri, "name": name, **details}


def embedded(uri: str, body: str | bytes, mime_type: str | None = None) -> Block:
    """A resource with its contents.

    >>> embedded("playground://files/a.txt", "hi", "text/plain")["resource"]["text"]
    'hi'
    """
    return {"type": "resource", "resource": contents(uri, body, mime_type)}


def contents(uri: str, body: str | bytes, mime_type: str | None = None) -> Block:
    """The contents of a resource as `resources/read` returns them: `text`, or `blob` in base64.

    >>> contents("a:b", b"\\x00", "application/octet-stream")
    {'uri': 'a:b', 'mimeType': 'application/octet-stream', 'blob': 'AA=='}
    """
    head: Block = {"uri": uri} if mime_type is None else {"uri": uri, "mimeType": mime_type}
    if isinstance(body, str):
        return {**head, "text": body}
    return {**head, "blob": base64.b64encode(body).decode("ascii")}


def message(role: str, block: Block | str) -> Block:
    """One message of a prompt.

    >>> message("user", "Review this.")
    {'role': 'user', 'content': {'type': 'text', 'text': 'Review this.'}}
    """
    return {"role": role, "content": text(block) if isinstance(block, str) else block}
