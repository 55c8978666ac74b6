"""Where models come from: which providers there are, and what all of them can do.

In:   a provider's name, a model, an address and a key.
Out:  a Provider that turns a Conversation into an Answer.
Here nobody knows a provider's format, or imports its SDK before it is used: each has its own file.

openai_like.py   Ollama, OpenAI and whatever speaks its format (also our scripted model)
anthropic.py     Anthropic
remote.py        what both share: one request at a time, its limits, and how it is ended
line.py          the HTTP client that shows the bodies as they are on the wire
offer.py         tools as a provider takes them: names, schemas, how many
content.py       content blocks as text, and the images that a provider takes
failure.py       what can go wrong, each in one sentence
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from playground.host.conversation import Conversation
from playground.host.loop import Answer
from playground.host.providers.line import Exchange
from playground.host.providers.offer import Offer
from playground.host.tools import Tool

Stream = Callable[[str, str], None]
"""Called with ("text" | "thought" | "call", piece) while an answer arrives; the piece of a call is its tool's name."""

Wire = Callable[[str, Exchange], None]
"""Called with ("sent", exchange) when a request goes out, and ("received", exchange) when its response has ended."""


class Provider(Protocol):
    """A source of answers. `images` says whether pictures are sent or only described."""

    kind: str
    label: str
    model: str
    base_url: str
    images: bool

    def offer(self, tools: Sequence[Tool]) -> Offer:
        """The tools as they will be sent, and what was changed for it."""

    def complete(
        self,
        history: Conversation,
        tools: Sequence[Tool],
        *,
        stream: Stream | None = None,
        cancel: Event | None = None,
        wire: Wire | None = None,
    ) -> Answer:
        """Ask the model, in streaming if there is a `stream`.

        Raises Failure (a NoAnswer) with one sentence; Interrupted soon after `cancel` is set; and lets Ctrl-C
        through at once. In each of these cases the connection is closed, so nothing goes on behind the user's
        back.
        """

    def prepare(self) -> None:
        """Load what the first question needs."""

    def close(self) -> None:
        """Close the connection that is kept between questions."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is assumed of a provider unless the user says otherwise. A key is needed where `key` names a setting."""

    label: str
    base_url: str
    model: str
    key: str
    images: bool


KNOWN = {
    "ollama": Known("Ollama", "http://127.0.0.1:11434/v1", "granite3.3", "", images=False),
    "openai": Known("OpenAI", "https://api.openai.com/v1", "gpt-5.4-mini", "OPENAI_API_KEY", images=True),
    "anthropic": Known("Anthropic", "https://api.anthropic.com", "claude-haiku-5-5", "ANTHROPIC_API_KEY", images=True),
    "scripted": Known("the scripted model", "http://127.0.0.1:5099/v1", "scripted", "", images=False),
}


def provider(
    kind: str,
    *,
    model: str = "",
    base_url: str = "",
    api_key: str = "",
    temperature: float | None = None,
    images: bool | None = None,
    total: float = 300.0,
    connect: float = 5.0,
) -> Provider:
    """The provider of that name. ValueError for a name nobody knows.

    `temperature` has no effect with Anthropic, whose models take none. `total` and `connect` are seconds: for
    a whole answer, and for reaching the provider.
    """
    if kind not in KNOWN:
        raise ValueError(f"There is no provider '{kind}'; known are {', '.join(KNOWN)}.")
    from playground.host.providers.anthropic import Anthropic
    from playground.host.providers.openai_like import OpenAILike

    known = KNOWN[kind]
    return (Anthropic if kind == "anthropic" else OpenAILike)(
        kind,
        known.label,
        model or known.model,
        base_url or known.base_url,
        api_key,
        # A server of one's own that speaks OpenAI's format rarely wants a key.
        key_setting=known.key if not base_url or base_url == known.base_url else "",
        temperature=temperature,
        images=known.images if images is None else images,
        total=total,
        connect=connect,
    )
