"""The wire shapes of the providers: each dialect reads requests strictly and writes answers exactly.

A dialect is an object with the methods of `Dialect`. It refuses to know how an answer was found.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Answer, Prompt


@dataclass(frozen=True)
class Stamp:
    """What an answer carries beside its content: seconds since 1970, the model's name, the prompt it
    answers."""

    created: int
    prompt: Prompt


@dataclass(frozen=True)
class Listing:
    """The models on offer: names and the size of each one's context window in tokens."""

    windows: Mapping[str, int]
    created: int

    def window(self, model: str) -> int | None:
        """The window of a model; Ollama lets the tag `:latest` be left out."""
        return self.windows.get(model, self.windows.get(model.removesuffix(":latest")))


class Dialect(Protocol):
    """One provider's wire shape. `prefix` is what a client's base URL ends in, `chat` the path of a
    question."""

    name: str
    prefix: str
    chat: str
    window: int

    def authorize(self, headers: Mapping[str, str], key: str | None) -> None: ...

    def read(self, body: Any, listing: Listing) -> Prompt: ...

    def whole(self, answer: Answer, stamp: Stamp) -> Any: ...

    def frames(self, answer: Answer, stamp: Stamp) -> Iterator[str]: ...

    def error(self, refused: Refused) -> tuple[int, dict[str, Any]]: ...

    def broken_frame(self, refused: Refused, stamp: Stamp) -> str:
        """How a stream says that the answer broke off, "" if it doesn't."""
        ...

    def get(self, path: str, listing: Listing) -> Any:
        """The answer to a GET, a text or a JSON value; None if there is no such path."""
        ...

    def post(self, path: str, body: Any, listing: Listing) -> Any:
        """The same for a POST that is no question."""
        ...
