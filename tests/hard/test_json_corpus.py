"""Three hundred JSON texts and more: refused or accepted alike as a request's body and as a line of a log."""

from __future__ import annotations

import http.client
import json
import time
from pathlib import Path
from typing import Any

from tests.cases.oracles import Peer, strict
from tests.hard.corpus import BAD, GOOD, LIMITS
from tests.hard.figures import note
from tests.hard.listening import Listener

ENVELOPE = (b'{"jsonrpc":"2.0","id":"c","method":"ping","params":{"_meta":{"x":', b"}}}")
LINE = (b'{"ts":"2026-11-29T12:00:00.000000+00:00","event":"corpus","value":', b"}")


class Asking:
    """One connection that is kept, so that the corpus takes seconds."""

    def __init__(self, peer: Peer) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=20)
        self._peer, self.slowest = peer, 0.0

    def close(self) -> None:
        self._connection.close()

    def code(self, body: bytes) -> int | None:
        """The code of the error that answers a body, or None if a result does."""
        began = time.monotonic()
        self._connection.request("POST", "/rpc", body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        data = answer.read()
        self.slowest = max(self.slowest, time.monotonic() - began)
        assert answer.status in (200, 400), (answer.status, body[:200])
        assert answer.headers["Content-Type"] == "application/json", body[:200]
        self._peer.answered["body"] += 1
        said = strict(data)
        return said["error"]["code"] if "error" in said else None


def test_as_the_body_of_a_request(peer: Peer) -> None:
    asking = Asking(peer)

    def inside(text: bytes) -> int | None:
        return asking.code(ENVELOPE[0] + text + ENVELOPE[1])

    faults = [f"refused in a message: {text[:80]!r}" for text in GOOD if inside(text) is not None]
    faults += [f"no Invalid Request by itself: {text[:80]!r}" for text in GOOD if asking.code(text) != -32600]
    faults += [f"accepted in a message: {text[:80]!r}" for text in BAD if inside(text) != -32700]
    faults += [f"no parse error by itself: {text[:80]!r}" for text in BAD if asking.code(text) != -32700]
    faults += [f"in a message neither: {text[:80]!r}" for text in LIMITS if inside(text) not in (None, -32700)]
    faults += [f"by itself neither: {text[:80]!r}" for text in LIMITS if asking.code(text) not in (-32700, -32600)]
    asking.close()
    peer.check()
    print("\n".join(faults))
    figure = f"{len(GOOD)} good, {len(BAD)} bad, {len(LIMITS)} undecided; {len(faults)} faults, "
    figure += f"slowest {asking.slowest:.2f} s"
    good = not faults and len(GOOD + BAD + LIMITS) >= 300 and asking.slowest < 1
    note("JSON corpus, as request body", figure, "≥ 300 texts, 0 faults, ≤ 1 s", good)


def lines() -> list[tuple[bytes, bool | None]]:
    """Lines of a log, and whether each is a record; None where that is left open."""
    made: list[tuple[bytes, bool | None]] = []
    for texts, is_record in ((GOOD, True), (BAD, False), (LIMITS, None)):
        made += [(LINE[0] + text + LINE[1], is_record) for text in texts if b"\n" not in text]
    made += [(text, False) for text in BAD if b"\n" not in text and text.strip()]
    return made


def test_as_a_line_of_a_log(viewer: Any, logs: Path) -> None:
    written = lines()
    with Listener(viewer.url) as listener:
        listener.until_live()
        with (logs / "corpus.jsonl").open("ab") as log:
            for line, _ in written:
                log.write(line + b"\n")
        said = listener.records(len(written), 20)
    faults = []
    for (line, is_record), one in zip(written, said, strict=True):
        strict_json = json.dumps(one)
        assert strict_json
        if is_record is not None and ("record" in one) != is_record:
            faults.append(f"{'refused' if is_record else 'accepted'}: {line[:120]!r}")
    print("\n".join(faults))
    figure = f"{len(written)} lines, {len(said)} shown, {len(faults)} faults"
    note("JSON corpus, as log line", figure, "≥ 300 lines, 0 faults, all shown", not faults and len(written) >= 300)
