"""What the chat's own code costs for each tool call: the model is a stub, and its call is not counted.

In:   a server of ours, and a number of calls.
Out:  milliseconds for each, of our chat and of other clients on the same server, with the same tool and file.

Theory of operation
    Ours is the whole of chat_with_tools.py as it is shipped, with a model put into it that wishes for read_file again
    and again, so many times a turn. What is timed begins when the model has said its wish, and ends when it is asked
    anew: arguments checked, approval reviewed, the call routed and made, its result checked against the schema and
    put into the conversation, all of it logged. Of the peers only the call is timed: they are clients, and have no
    loop, no log and no conversation.
"""

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import ROOT, Unavailable, folder, our_server, some_files

if TYPE_CHECKING:
    from playground.host.conversation import Conversation
    from playground.host.loop import Answer
    from playground.host.tools import Tool

EACH, BUSY = "per tool call, ms", "CPU per tool call, ms"
CALLS_IN_A_TURN = 10


# ---- 1. Ours: the chat, with a stub for a model ----------------------------------------------------------------------


class Stub:
    """A model that wishes for read_file, then answers; and a clock that stands still while it is asked."""

    kind, label, model, base_url, images = "stub", "the stub", "stub", "", False

    def __init__(self) -> None:
        from playground.host.providers import provider

        self.offer = provider("scripted").offer  # as of all that speak HTTP
        self.seconds = self.busy = 0.0  # by the clock, and of CPU, since the wishes
        self._said: tuple[float, float] | None = None
        self._calls = 0

    def complete(self, history: "Conversation", tools: "Sequence[Tool]", **how: Any) -> "Answer":
        if self._said is not None:
            self.seconds += time.perf_counter() - self._said[0]
            self.busy += time.process_time() - self._said[1]
            self._said = None
        answer = self._answer(history)
        if answer.said.calls:
            self._said = time.perf_counter(), time.process_time()
        return answer

    def _answer(self, history: "Conversation") -> "Answer":
        from playground.host.calls import Call
        from playground.host.conversation import Said
        from playground.host.loop import Answer

        steps = history.turns[-1].steps
        if steps and "line of notes" not in steps[-1].results[0].content[0]["text"]:
            raise ValueError(f"not the text of the file: {steps[-1].results[0]}")
        if len(steps) == CALLS_IN_A_TURN:
            return Answer(Said("Done."))
        self._calls += 1
        call = Call.received(f"call_{self._calls}", "files__read_file", '{"filename":"notes.txt"}')
        return Answer(Said(calls=(call,)), "calls")

    def prepare(self) -> None:
        """There is nothing to load."""

    def close(self) -> None:
        """There is nothing to close."""


def ours(url: str, calls: int, logs: Path) -> tuple[float, float]:
    """Seconds by the clock, and of CPU, that so many calls took."""
    import chat_with_tools
    from playground.chat_flags import parse
    from playground.host.doctor import Checkup
    from playground.settings import load

    logs.mkdir(parents=True, exist_ok=True)
    servers = logs / "servers.json"
    servers.write_text(json.dumps({"mcpServers": {"files": {"url": url, "trust": True}}}))
    rounds = str(CALLS_IN_A_TURN + 1)
    options = parse(["--once", "-", "--servers", str(servers), "--max-rounds", rounds])
    with chat_with_tools.begun(options, load({"MCP_LOGS": str(logs)}), io.StringIO(), io.StringIO()) as chat:
        chat_with_tools.connect(chat)
        chat.checkup = Checkup(window=128_000)
        for count in (calls // 10, calls):
            chat.provider = stub = Stub()
            for _ in range(count // CALLS_IN_A_TURN):
                chat.conversation = chat.conversation.cleared()
                assert chat_with_tools.handle(chat, "What do the notes say?")
        return stub.seconds, stub.busy


# ---- 2. All of them --------------------------------------------------------------------------------------------------


def _client(make: Callable[[], list[str]], calls: int) -> Contestant:
    """A program that is given the address, the number of calls and a folder; it prints the seconds that they took, by
    the clock and of CPU."""

    @contextmanager
    def contestant() -> Iterator[Measure]:
        command = make()
        with folder() as place, our_server(some_files(place / "files"), place / "logs") as (_, url):

            def measure() -> Figures:
                arguments = [url, str(calls), str(place / "client")]
                done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
                if done.returncode != 0:
                    raise Unavailable((done.stderr.strip() or "it says nothing").splitlines()[-1][-200:])
                seconds, busy = map(float, done.stdout.split())
                return {EACH: seconds / calls * 1000, BUSY: busy / calls * 1000}

            yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    calls = 100 if quick else 2000  # some seconds each: the machine's own moods are as long as one
    contestants = {
        "ours": _client(lambda: [sys.executable, "-m", "bench.chat"], calls),
        "python-sdk client": _client(lambda: peers.python("python-sdk", "client_python_sdk.py"), calls),
        "langchain-mcp-adapters": _client(lambda: peers.python("langchain", "client_langchain.py"), calls),
    }
    targets = [Target("chat loop, per tool call", EACH, 0.8, ("python-sdk",))]
    return [Group("client, per tool call", contestants, targets, EACH, "ms")]


if __name__ == "__main__":
    print(*ours(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
