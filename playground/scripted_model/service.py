"""What a running model consists of, and the record of what its clients sent.

Goes in: a dialect, models, a function that answers. Comes out: one object for the
HTTP handler, and `Recorded` requests.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from playground.scripted_model.dialects import Dialect, Listing
from playground.scripted_model.talk import Answer, Prompt


@dataclass(frozen=True)
class Recorded:
    """One request as it came: `body` is the JSON value, None if there was none or it did not parse;
    `refusal` is the error message that was answered, "" for a good request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    status: int
    refusal: str = ""


@dataclass
class Service:
    """What the handler needs: the dialect, the models, the answers, and where records go."""

    dialect: Dialect
    listing: Listing
    answer: Callable[[Prompt], Answer]
    key: str | None = None
    pace: float = 0.0
    clock: Callable[[], float] = time.time
    stopping: threading.Event = field(default_factory=threading.Event)
    requests: list[Recorded] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def record(self, one: Recorded) -> None:
        with self.changed:
            self.requests.append(one)
            self.changed.notify_all()
