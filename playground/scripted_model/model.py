"""`ScriptedModel`: the scripted model to start and stop from a program.

Goes in: which models it should offer. Comes out: a base URL for a client, and a record of what the client
sent.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Final, Self

from playground.scripted_model import scenarios
from playground.scripted_model.deciding import decide
from playground.scripted_model.dialects import Dialect, Listing
from playground.scripted_model.dialects.anthropic import Anthropic
from playground.scripted_model.dialects.ollama import OldOllama, Ollama
from playground.scripted_model.dialects.openai_like import OpenAI
from playground.scripted_model.gallery import GALLERY, Play
from playground.scripted_model.server import Server
from playground.scripted_model.service import Recorded, Service
from playground.scripted_model.talk import Answer, Prompt

DIALECTS: Final[Mapping[str, type[Dialect]]] = {
    "ollama": Ollama,
    "ollama-old": OldOllama,
    "openai": OpenAI,
    "anthropic": Anthropic,
}
DEFAULT: Final = "scripted"
_BORN: Final = 1_790_000_000  # the date the models claim to be made, in seconds since 1970


class ScriptedModel:
    """A scripted model that is not running yet.

    `names`: more names that the plain model answers to. `scenario`: the name or path of a scenario that the
    plain model plays; raises `ScenarioError`. `key`: the only key that is accepted (None: any). `window`:
    its context window in tokens (None: the dialect's). `pace`: seconds between the pieces of a stream.
    `clock`: gives the seconds since 1970 that answers are stamped with. `play`: a function that answers
    instead of the rules.
    """

    def __init__(
        self,
        *,
        names: Iterable[str] = (),
        scenario: str | None = None,
        key: str | None = None,
        window: int | None = None,
        pace: float = 0.0,
        clock: Callable[[], float] = time.time,
        play: Play | None = None,
    ) -> None:
        chosen = play or (scenarios.load(scenario).play if scenario else decide)
        self._plays: dict[str, Play] = {DEFAULT: chosen, **dict.fromkeys(names, chosen)}
        self._windows: dict[str, int | None] = dict.fromkeys(self._plays, window)
        for path in sorted(scenarios.FOLDER.glob("*.txt")):
            self._plays.setdefault(path.stem, scenarios.load(path.stem).play)
        for name, exhibit in GALLERY.items():
            self._plays.setdefault(name, exhibit.play)
            self._windows.setdefault(name, exhibit.window)
        self._key, self._pace, self._clock = key, pace, clock
        self._server: Server | None = None
        self._thread: threading.Thread | None = None
        self._service: Service | None = None

    def start(self, dialect: str = "ollama", port: int = 0) -> str:
        """Listen on 127.0.0.1 (port 0: any free one) and give back the base URL for clients of that dialect.
        Raises OSError if the port is taken, ValueError for an unknown dialect, RuntimeError if it runs
        already."""
        if dialect not in DIALECTS:
            raise ValueError(f"There is no dialect {dialect!r}; there are {', '.join(DIALECTS)}.")
        if self._server is not None:
            raise RuntimeError("The scripted model is running already; stop it first.")
        wire = DIALECTS[dialect]()
        windows = {name: self._windows.get(name) or wire.window for name in self._plays}
        service = Service(wire, Listing(windows, _BORN), self._answer, self._key, self._pace, self._clock)
        server = Server(port, service)
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="scripted-model", daemon=True
        )
        thread.start()
        self._server, self._thread, self._service = server, thread, service
        return self.base_url

    def stop(self) -> None:
        """Stop listening; answers in progress break off. Stopping twice does no harm. The records stay."""
        if self._server is None or self._thread is None or self._service is None:
            return
        self._service.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """What a client takes as base URL; "" when it isn't running."""
        if self._server is None or self._service is None:
            return ""
        return f"http://127.0.0.1:{self._server.server_address[1]}{self._service.dialect.prefix}"

    @property
    def models(self) -> list[str]:
        """The names of all models: the plain one, the scenarios, the gallery."""
        return list(self._plays)

    @property
    def requests(self) -> list[Recorded]:
        """All requests since the last start, in the order of their arrival."""
        if self._service is None:
            return []
        with self._service.changed:
            return list(self._service.requests)

    @property
    def refused(self) -> list[Recorded]:
        """Those that were answered with an error."""
        return [one for one in self.requests if one.status >= 400]

    def wait_for(self, count: int, seconds: float = 5.0) -> bool:
        """Wait until so many requests have come; False if they don't come in time."""
        service = self._service
        if service is None:
            return False
        with service.changed:
            return service.changed.wait_for(lambda: len(service.requests) >= count, seconds)

    def _answer(self, prompt: Prompt) -> Answer:
        play = self._plays.get(prompt.model) or self._plays[prompt.model.removesuffix(":latest")]
        return play(prompt)
