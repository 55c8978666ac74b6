"""What the chat's own code costs for each tool call: the model is a stub, and its call is not counted.

In each turn the stub wishes for read_file until it has had as many answers as there are calls to make. What is timed
begins with the first wish and ends with the last answer: the loop, the router, the connection, validation, the log.
All clients talk to our server.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import Unavailable, folder, our_server, some_files

EACH = "per tool call, ms"


def _client(make: Callable[[], list[str]], calls: int) -> Contestant:
    """A program that is given the address and the number of calls, and prints how long they took."""

    @contextmanager
    def contestant() -> Iterator[Measure]:
        command = make()
        with folder() as place, our_server(some_files(place / "files"), place / "logs") as (_, url):

            def measure() -> Figures:
                arguments = [url, str(calls), str(place / "client")]
                done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    raise Unavailable(done.stderr.strip().splitlines()[-1][-200:])
                return {EACH: float(done.stdout) / calls * 1000}

            yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    calls = 20 if quick else 500
    contestants = {
        "ours": _client(lambda: [sys.executable, "-m", "bench.chat"], calls),
        "python-sdk client": _client(lambda: peers.python("python-sdk", "client_python_sdk.py"), calls),
        "langchain-mcp-adapters": _client(lambda: peers.python("langchain", "client_langchain.py"), calls),
    }
    target = Target("chat loop, per tool call", EACH, 0.8, ("python-sdk",))
    return [Group("client, per tool call", contestants, [target], EACH, "ms")]


def ours(url: str, calls: int, logs: Path) -> float:
    """Seconds for so many calls through a connection, as the chat makes them."""
    from playground.logbook import Logbook
    from playground.wire.connection import Connection
    from playground.wire.http import Http
    from playground.wire.recorder import Recorder

    log = Logbook(logs, "mcp-client-chat")
    connection = Connection(Http(url, Recorder(log, via="http", server="files")), {"name": "bench", "version": "1"})
    connection.open()
    for count in (calls // 10, calls):
        began = time.perf_counter()
        for _ in range(count):
            connection.call_tool("read_file", {"filename": "notes.txt"})
        took = time.perf_counter() - began
    connection.close()
    return took


if __name__ == "__main__":
    print(ours(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
