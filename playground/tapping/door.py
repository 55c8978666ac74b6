"""The tap's door: who may come in, and a thread for each who does.

In:   a listening socket, the target, and the names besides the loopback ones that Host and Origin may say.
Out:  a Relay for each connection, until the door is closed.
Here nobody knows what is said behind it.

Only Host and Origin are looked at, for the reasons that playground/gate.py gives: a hostile page must not reach the
target by way of the tap. Everything else that may be wrong with a request is the target's to judge, and the client's to
read in the target's own words.
"""

import socket
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from playground.gate import Refusal, Rules, check
from playground.tapping.heads import Head
from playground.tapping.relay import Relay
from playground.tapping.story import Story
from playground.tapping.target import Target

if TYPE_CHECKING:
    from playground.serve import Listener

__all__ = ["Door"]

_CHECKED = ("host", "origin", "sec-fetch-site", "sec-fetch-mode")
FAREWELL = 2.0  # seconds for everybody inside, together, when the tap ends
_LOOK_UP = 0.1  # seconds between two looks at whether it is time to close


class Door:
    """Lets clients in until `close`."""

    def __init__(self, listener: "Listener", target: Target, story: Story, *, allow_hosts: Iterable[str] = ()) -> None:
        self._socket, self._target, self._story = listener.socket, target, story
        self._rules = Rules(listener.port, {"/": ("GET",)}, frozenset(name.lower() for name in allow_hosts))
        self._is_closing = threading.Event()
        self._inside: dict[threading.Thread, Relay] = {}

    def run(self) -> None:
        """Blocks until closed and everybody inside has been shown out, which is in the log then."""
        self._socket.settimeout(_LOOK_UP)
        with self._socket:
            while not self._is_closing.is_set():
                try:
                    client, _ = self._socket.accept()
                except TimeoutError:
                    continue
                except OSError:  # a client that left at once, or no descriptor left for it
                    self._is_closing.wait(_LOOK_UP)
                    continue
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
        inside, until = list(self._inside.items()), time.monotonic() + FAREWELL
        for _, relay in inside:
            relay.stop()
        for thread, _ in inside:
            thread.join(max(0.0, until - time.monotonic()))

    def close(self) -> None:
        """May be called from a signal handler or any thread."""
        self._is_closing.set()

    def refuse(self, head: Head) -> Refusal | None:
        """Why a request goes no further, if so."""
        _, target = head.request
        if not target.startswith("/"):
            return Refusal(400, "The tap passes on paths such as /mcp, and is no proxy for other addresses.")
        headers = {name: value for name in _CHECKED if (value := head.get(name)) is not None}
        return check("GET", "/", headers, self._rules)

    def _serve(self, client: socket.socket) -> None:
        try:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            relay = Relay(client, self._target, self._story, self.refuse)
        except OSError:  # it has left already
            client.close()
            return
        self._inside[threading.current_thread()] = relay
        try:
            if self._is_closing.is_set():  # `run` may have counted who is inside already
                relay.stop()
            relay.run()
        finally:
            del self._inside[threading.current_thread()]
