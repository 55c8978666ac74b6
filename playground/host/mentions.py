"""Resources in a question: what the user means with @name.

In:   the text of a question, the resources of all servers.
Out:  the question as content blocks: its text, and the contents of what is named in it.
Here nobody knows what is done with them. An @word that names nothing stays a word: most are addresses and handles.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from playground.host.calls import Block, text_block
from playground.host.router import Listed

_WORD = re.compile(r"(?<!\S)@(\S+)")
_AFTER = ".,;:!?)]}'\""


def named(text: str, resources: Callable[[], Sequence[Listed]]) -> list[Listed]:
    """The resources that a text names with @name, @server:name or @uri, each once. The list is only asked for where
    there is an @ at all."""
    words = _WORD.findall(text)
    known = resources() if words else ()
    found = [resource for word in words if (resource := _meant(word, known))]
    return list({(resource.server, resource.entry["uri"]): resource for resource in found}.values())


def with_contents(text: str, contents: Iterable[Block]) -> list[Block]:
    """The question as blocks."""
    return [text_block(text), *contents]


def _meant(word: str, resources: Sequence[Listed]) -> Listed | None:
    """What a word means, with or without the punctuation at its end; a name that two servers have means neither."""
    for spelled in dict.fromkeys((word, word.rstrip(_AFTER))):
        for names in ([(it.full, it.entry["uri"]) for it in resources], [(it.name,) for it in resources]):
            fits = [resource for resource, known in zip(resources, names, strict=True) if spelled in known]
            if len(fits) == 1:
                return fits[0]
    return None
