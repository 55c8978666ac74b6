"""How bytes reach an MCP server and come back: by HTTP POST, or through the pipes of a process (stdio).

In:   the bytes of one message, for HTTP its headers, and how long one is willing to wait.
Out:  frames, the bytes of one message each, as they come; or Trouble, in one sentence.
Here nobody knows what the bytes mean, valid or not. The rules of MCP's headers are chapter 1's.

Theory of operation
    Both carriers read in a thread (patience.Feed) and wait by the clock, so a server that is silent, slow or endless
    costs the limit and no more. HTTP: no proxy from the environment, no redirect followed, no cookie kept; what a
    server says about where to go is shown, never done. stdio: the process gets a session of its own, so Ctrl-C ends us
    and we end it, in the specification's order: close its stdin, wait, terminate, kill.
"""

import contextlib
import shlex
import subprocess
import sys
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mcp_core.sse import Decoder, StreamError
from mcp_core.strict import MAX_BYTES
from playground.patience import Feed
from playground.terminal import one_line
from playground.trust import why_unsafe

if TYPE_CHECKING:
    import requests

Json = dict[str, Any]


class Trouble(Exception):
    """What can happen to anyone, in one sentence: what was tried, what it means, what to do."""


class Unanswered(Trouble):
    """Something is there, but what comes back is no answer."""


class Late(Unanswered):
    """Nothing came within the limit."""


class Frame(NamedTuple):
    """One thing that came back: the bytes of a message, or none where HTTP has only a status to say."""

    title: str  # "200 OK", "event 2", "stdout"
    body: bytes
    http: Json | None = None  # status and headers, the same for all events of one stream
    event_id: str | None = None  # of an event: what Last-Event-ID may name


Frames = Generator[Frame, None, None]

SHOWN = (  # the response headers that matter to MCP
    "Content-Type", "Mcp-Session-Id", "MCP-Protocol-Version", "Allow", "WWW-Authenticate", "Retry-After", "Location",
    "Cache-Control", "X-Accel-Buffering",
)  # fmt: skip


class Post:
    """HTTP: a POST for each message, answered by one JSON body or by a stream of events."""

    via = "http"

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            where = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
        except ValueError:  # a port that is no number, half a pair of brackets
            parts = None
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            raise Trouble(f"{one_line(url)} is no address; try http://127.0.0.1:5000/mcp.")
        import requests  # 0.1 s, which a pipe need not wait for

        self.url, self.path = url, parts.path or "/"
        self._base = f"{parts.scheme}://{where}"  # without a password that the address may hold
        self._session = requests.Session()
        self._session.trust_env = False  # else HTTP_PROXY would catch calls to our own machine
        self._session.headers.clear()

    def send(self, body: bytes, headers: Mapping[str, str], limit: float, wants: bool = True) -> Frames:
        """Posts a body; gives what comes back. An event stream begins with a frame without body."""
        return self.call("POST", body, headers, limit)

    def listen(self, headers: Mapping[str, str], limit: float) -> Frames:
        """Opens the server's own stream with GET (transports, Listening for Messages); gives what comes, as send()."""
        return self.call("GET", b"", headers, limit)

    def call(self, method: str, body: bytes, headers: Mapping[str, str], limit: float) -> Frames:
        """Sends anything that HTTP can say; gives what comes back, as send()."""
        until = time.monotonic() + limit
        feed = Feed(self._call(method, body, headers, limit))
        answer: requests.Response | None = None
        try:
            answer = self._take(feed, until, limit)
            assert answer is not None
            http = {
                "status": answer.status_code,
                "headers": {h: answer.headers[h] for h in SHOWN if h in answer.headers},
            }
            title = f"{answer.status_code} {answer.reason}"
            if answer.headers.get("Content-Type", "").split(";")[0].strip().lower() == "text/event-stream":
                yield Frame(title, b"", http)
                yield from self._events(feed, until, limit, http)
            else:
                whole = b""
                while len(whole) <= MAX_BYTES and (piece := self._take(feed, until, limit)):
                    whole += piece
                yield Frame(title, whole, http)
        finally:
            if not feed.leave(0.05) and answer is not None:
                with contextlib.suppress(RuntimeError, ValueError, OSError):
                    answer.raw.shutdown()  # wakes the thread, which closes the connection; the server sees us go

    def delete(self, headers: Mapping[str, str], limit: float) -> Frame:
        """Sends a DELETE; gives the status."""
        answer = self._take(Feed(self._call("DELETE", b"", headers, limit)), time.monotonic() + limit, limit)
        return Frame(f"{answer.status_code} {answer.reason}", b"", {"status": answer.status_code, "headers": {}})

    def heard(self) -> list[str]:
        """Nothing: HTTP has no place beside the protocol."""
        return []

    def close(self) -> None:
        """Gives the connections back."""
        self._session.close()

    def complaint(self, frame: Frame, flaw: str) -> str:
        """The sentence about a body that is no message."""
        http = frame.http or {"status": 0, "headers": {}}
        if http["status"] == 401:
            return f"{self._base} answered 401: it wants authorization, and this client has none to give."
        kind = http["headers"].get("Content-Type", "no Content-Type")
        maybe = ", or it refuses without saying why" if http["status"] >= 400 else ""
        return (
            f"{self._base} answered {one_line(frame.title)} with {one_line(kind)} and no JSON-RPC message: this is not "
            f"the MCP server{maybe}. Look at what listens there, or give another --url. ({one_line(flaw, 200)})"
        )

    def _call(self, method: str, body: bytes, headers: Mapping[str, str], limit: float) -> Iterator[Any]:
        timeout = min(limit, 5), limit + 1  # to connect; to read, a little more than whoever waits at the feed
        with self._session.request(
            method, self.url, data=body, headers=headers, timeout=timeout, stream=True, allow_redirects=False
        ) as answer:
            yield answer
            while piece := answer.raw.read1(65536, decode_content=True):
                yield piece

    def _events(self, feed: Feed[Any], until: float, limit: float, http: Json) -> Iterator[Frame]:
        decoder, count = Decoder(), 0
        while piece := self._take(feed, until, limit):
            try:
                events = decoder.feed(piece)
            except StreamError as error:
                raise Unanswered(str(error)) from None
            for event in events:
                began = time.monotonic()
                if event.data:
                    count += 1
                    yield Frame(f"event {count}", event.data.encode("utf-8", "surrogatepass"), http, event.id)
                elif event.id:  # 2025-11-25 may begin so, only to say where to resume
                    yield Frame(f"event without data, id {one_line(event.id)}", b"", http, event.id)
                until += time.monotonic() - began  # how long we take ourselves is not the server's delay

    def _take(self, feed: Feed[Any], until: float, limit: float) -> Any:
        import requests
        from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

        try:
            return feed.take(until)
        except TimeoutError:
            raise Late(f"No complete answer from {self._base} within {limit:g} s; --timeout sets the limit.") from None
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidHeader, UnicodeError) as error:
            raise Trouble(f"This can't be sent to {self._base}: {one_line(str(error), 200)}.") from None
        except Exception as error:  # requests, urllib3 and the socket each have their own
            reason = getattr(error.args[0] if error.args else None, "reason", None)
            if isinstance(reason, (NewConnectionError, ConnectTimeoutError)):
                raise Trouble(
                    f"Nothing answers at {self._base}: start the server (python server.py), or give its --url."
                ) from None
            if flaw := why_unsafe(error):
                raise Trouble(f"No safe connection to {self._base} came about: {flaw}.") from None
            raise Unanswered(
                f"The connection to {self._base} broke before the answer was complete ({one_line(str(error), 200)})."
            ) from None


class Pipe:
    """stdio: a process that reads messages from its stdin and writes messages to its stdout, one a line."""

    via = "stdio"

    def __init__(self, command: str) -> None:
        self._command = one_line(command)
        try:
            self._words = shlex.split(command, posix=sys.platform != "win32")
        except ValueError as error:
            raise Trouble(f"'{self._command}' can't be started: {error}. --stdio takes a command line.") from None
        self._process: subprocess.Popen[bytes] | None = None
        self.exit_code: int | None = None  # when it has ended
        self._stderr: deque[str] = deque(maxlen=100)

    def send(self, body: bytes, headers: Mapping[str, str], limit: float, wants: bool = True) -> Frames:
        """Writes a line; gives the lines that come back, if any is wanted. Starts the process if none runs."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # if the process is gone, its stdout tells
            self._process.stdin.write(body if body.endswith(b"\n") else body + b"\n")
            self._process.stdin.flush()
        if wants:
            yield from self.listen({}, limit)

    def listen(self, headers: Mapping[str, str], limit: float) -> Frames:
        """Gives the lines that come, whoever they are for: a pipe has no other place for what nobody asked for."""
        until = time.monotonic() + limit
        while True:
            try:
                line = self._feed.take(until)
            except TimeoutError:
                raise Late(f"No answer from '{self._command}' within {limit:g} s; --timeout sets the limit.") from None
            if line is None:
                raise self._ended()
            if line.strip():
                began = time.monotonic()
                yield Frame("stdout", line.rstrip(b"\r\n"))
                until += time.monotonic() - began  # how long we take ourselves is not the server's delay

    def heard(self) -> list[str]:
        """The lines that the process wrote to its stderr since one asked."""
        return [self._stderr.popleft() for _ in range(len(self._stderr))]

    def close(self) -> None:
        """Ends the process (lifecycle, Shutdown, stdio): close its stdin, wait, SIGTERM, wait, SIGKILL."""
        if (process := self._process) is None:
            return
        self._process = None
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        for next_step in (process.terminate, process.kill, lambda: None):
            try:
                self.exit_code = process.wait(2)
                break
            except subprocess.TimeoutExpired:
                next_step()
        self._feed.leave()
        self._reader.join(0.5)

    def complaint(self, frame: Frame, flaw: str) -> str:
        """The sentence about a line that is no message."""
        line = one_line(frame.body.decode("utf-8", "replace"), 80)
        return (
            f"'{self._command}' wrote to its stdout what is no MCP message: {line} Its stdout belongs to the protocol; "
            f"what else it prints must go to stderr. ({one_line(flaw, 200)})"
        )

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError, IndexError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise Trouble(f"'{self._command}' can't be started: {reason}. --stdio takes a command line.") from None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._feed = Feed(_lines(self._process.stdout))
        self._reader = Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._reader.start()

    def _listen(self, stderr: IO[bytes]) -> None:
        for line in _lines(stderr, 65536):
            self._stderr.append(line.decode("utf-8", "replace").rstrip("\r\n"))

    def _ended(self) -> Trouble:
        assert self._process is not None
        try:
            how = f"ended (exit code {self._process.wait(1)})"
        except subprocess.TimeoutExpired:
            how = "closed its stdout"
        self._reader.join(0.5)
        last = f" Its last words: {one_line(self._stderr[-1], 200)}" if self._stderr else ""
        self.close()
        return Unanswered(f"'{self._command}' {how} before it answered.{last}")


def _lines(pipe: IO[bytes], longest: int = MAX_BYTES + 2) -> Iterator[bytes]:
    with pipe:  # closed by the thread that reads: a grandchild may hold it open, and then nobody else could
        while line := pipe.readline(longest):
            yield line
