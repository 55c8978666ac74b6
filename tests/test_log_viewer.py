"""The viewer as a real process, asked over HTTP. Tests named D… are cases of real faults in like products."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import log_viewer
from mcp_core.sse import Decoder, Event
from playground import serve
from playground.gate import Gate
from playground.logbook import Logbook
from playground.viewer import book
from playground.viewer.folder import Folder
from playground.viewer.hub import Hub
from playground.viewer.relay import Relay

ROOT = Path(__file__).resolve().parent.parent
HEARTBEAT = 0.2


class Viewer:
    """A running viewer and its logs."""

    def __init__(self, running: Any, logs: Path) -> None:
        self.running, self.logs = running, logs
        self.port = int(running.url.rpartition(":")[2])
        self.pid = running.pid

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def json(self, path: str) -> Any:
        status, _, body = self.get(path)
        assert status == 200, body
        return json.loads(body)

    def stream(self, query: str = "", **headers: str) -> Stream:
        return Stream(self.port, query, headers)

    def count(self) -> tuple[int, int]:
        """Threads and descriptors of the process."""
        return len(os.listdir(f"/proc/{self.pid}/task")), len(os.listdir(f"/proc/{self.pid}/fd"))

    def memory(self) -> int:
        """The most memory the process has had, in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", status)
        assert found
        return int(found[1]) // 1024


class Stream:
    """An event stream, read as a browser does."""

    def __init__(self, port: int, query: str, headers: dict[str, str]) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.connection.request("GET", f"/stream{query}", headers={"Accept": "text/event-stream", **headers})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.decoder = Decoder()
        self.text = ""
        self.events: list[Event] = []

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *reason: object) -> None:
        self.answer.close()
        self.connection.close()

    def until(self, is_enough: Callable[[Stream], Any], seconds: float = 20) -> Stream:
        deadline = time.monotonic() + seconds
        while not is_enough(self):
            assert time.monotonic() < deadline, self.text
            piece = self.answer.read1(1 << 20)
            assert piece, f"the stream ended after {self.text[-500:]}"
            self.text += piece.decode()
            self.events += [event for event in self.decoder.feed(piece) if event.data]
        return self

    def live(self) -> Stream:
        return self.until(lambda stream: "live" in stream.notices)

    def records(self, count: int) -> list[dict[str, Any]]:
        return self.until(lambda stream: len(stream.envelopes) >= count).envelopes

    @property
    def envelopes(self) -> list[dict[str, Any]]:
        return [json.loads(event.data) for event in self.events if event.event == "message"]

    @property
    def numbers(self) -> list[int]:
        return [envelope["record"]["n"] for envelope in self.envelopes]

    @property
    def notices(self) -> list[str]:
        return [json.loads(event.data)["kind"] for event in self.events if event.event == "notice"]


def record(number: int) -> str:
    return f'{{"ts":"2026-11-29T21:20:{number % 60:02d}.000000+00:00","n":{number}}}\n'


def append(path: Path, *what: int | str | bytes) -> None:
    with path.open("ab") as file:
        for piece in what:
            text = record(piece) if isinstance(piece, int) else piece
            file.write(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def viewer(start: Any, logs: Path) -> Viewer:
    return Viewer(start("log_viewer.py", "--port", 0, "--logs", logs, "--heartbeat", HEARTBEAT), logs)


# ---- The stream --------------------------------------------------------------------------------------------


def test_d29_the_first_bytes_and_headers_of_a_silent_stream(viewer: Viewer) -> None:
    with viewer.stream() as stream:
        stream.until(lambda stream: stream.text)
        headers = {name.lower(): value for name, value in stream.answer.getheaders()}
        assert headers["content-type"] == "text/event-stream; charset=utf-8"
        assert headers["cache-control"] == "no-store"
        assert headers["x-accel-buffering"] == "no"
        assert "content-length" not in headers
        assert stream.text.startswith("retry: 1000\n: ")
        stream.until(lambda stream: stream.text.count(": heartbeat") >= 2)


def test_d30_history_then_live_in_order_and_none_twice(viewer: Viewer) -> None:
    append(viewer.logs / "a.jsonl", *range(600))
    with viewer.stream() as before:
        before.until(lambda stream: len(stream.envelopes) >= 500 and stream.numbers[-1] == 599)
    with viewer.stream() as stream:
        stream.live()
        append(viewer.logs / "a.jsonl", *range(600, 700))
        stream.records(600)
        assert stream.numbers == list(range(100, 700))


@pytest.mark.parametrize(
    "query",
    ["files=../secret.jsonl", "files=/etc/hostname", "files=..%2Fsecret.jsonl", "files=%252e%252e%252fsecret.jsonl",
     "files=a.jsonl,../secret.jsonl", "files=secret", "files=a%00.jsonl", "files=..%5Csecret.jsonl"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/stream", "/history"])
def test_d02_no_file_outside_is_ever_sent(gated: Any, tmp_path: Path, path: str, query: str) -> None:
    (tmp_path / "secret.jsonl").write_text('{"canary":"canary-9431"}\n')
    status, _, body = gated(f"{path}?{query}")
    assert status == 400 or (status == 200 and b"canary" not in body)
    assert b"canary" not in body
    if status == 400:
        assert set(json.loads(body)) == {"error"}


def test_d02_a_link_out_of_the_folder_is_not_followed(viewer: Viewer, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"canary":"canary-9431"}\n')
    (viewer.logs / "link.jsonl").symlink_to(tmp_path / "secret")
    os.mkfifo(viewer.logs / "fifo.jsonl")
    append(viewer.logs / "a.jsonl", 1)
    with viewer.stream("?files=link.jsonl,fifo.jsonl,a.jsonl") as stream:
        assert stream.records(1)[0]["record"]["n"] == 1
        assert "canary" not in stream.text
    assert [file["name"] for file in viewer.json("/files")["files"]] == ["a.jsonl"]


def test_d04_truncation(viewer: Viewer) -> None:
    path = viewer.logs / "a.jsonl"
    append(path, 1, 2, 3)
    with viewer.stream() as stream:
        stream.records(3)
        os.truncate(path, 0)
        append(path, 4, 5)
        stream.records(5)
        assert stream.numbers == [1, 2, 3, 4, 5]
        assert "truncated" in stream.notices


def test_d05_rotation_by_rename(viewer: Viewer) -> None:
    path = viewer.logs / "a.jsonl"
    append(path, 0)
    with viewer.stream() as stream:
        stream.records(1)
        expected = [0]
        for turn in range(10):
            renamed = viewer.logs / f"a.jsonl.{turn + 1}"
            first = 1 + 3 * turn
            path.rename(renamed)
            append(renamed, first)
            append(path, first + 1, first + 2)
            expected += [first, first + 1, first + 2]
        stream.records(31)
        assert stream.numbers == expected


def test_d07_half_a_record_waits_for_its_other_half(viewer: Viewer) -> None:
    path = viewer.logs / "a.jsonl"
    line = record(7)
    with viewer.stream() as stream:
        stream.live()
        append(path, line[:20])
        beats = stream.text.count(": heartbeat")
        stream.until(lambda stream: stream.text.count(": heartbeat") >= beats + 10)
        assert stream.envelopes == []
        append(path, line[20:])
        assert stream.records(1) == [{"file": "a.jsonl", "at": 0, "record": json.loads(line)}]


def test_d09_only_lf_separates_records(viewer: Viewer) -> None:
    text = '{"n":1,"text":"a\u2028b\u2029c\u0085d"}'
    append(viewer.logs / "a.jsonl", text + "\n", "x\x0by\x0cz\n", 2)
    with viewer.stream() as stream:
        first, second, third = stream.records(3)
        assert first["record"] == json.loads(text)
        assert second["raw"] == "x\x0by\x0cz"
        assert third["record"]["n"] == 2


def test_d10_invalid_utf8_is_marked_and_the_stream_goes_on(viewer: Viewer) -> None:
    with viewer.stream() as stream:
        stream.live()
        append(viewer.logs / "a.jsonl", b'{"n":"\xff"}\n', 2)
        bad, good = stream.records(2)
        assert (bad["raw"], bad["flaw"]) == ('{"n":"\ufffd"}', "not UTF-8")
        assert good["record"]["n"] == 2


def test_d11_cr_forges_no_event(viewer: Viewer) -> None:
    append(viewer.logs / "a.jsonl", "x\revent: forged\rdata: y\n", '{"n":1}\r\n')
    with viewer.stream() as stream:
        forged, good = stream.records(2)
        assert forged["raw"] == "x\revent: forged\rdata: y"
        assert good["record"] == {"n": 1}
        assert {event.event for event in stream.events} <= {"message", "notice"}
        assert "\r" not in stream.text


def test_d13_a_giant_line_is_cut_and_the_next_one_arrives(viewer: Viewer) -> None:
    path = viewer.logs / "a.jsonl"
    with viewer.stream() as stream:
        stream.live()
        before = viewer.memory()
        for _ in range(50):
            append(path, b"x" * 1_000_000)
        append(path, b"\n", 1)
        began = time.monotonic()
        giant, good = stream.records(2)
        assert time.monotonic() - began < 2
        assert giant["flaw"] == "too long: 50000000 bytes"
        assert len(giant["raw"]) < 100_000
        assert good["record"]["n"] == 1
    with viewer.stream() as later:
        assert later.records(2) == [giant, good]
    assert viewer.memory() - before <= 64


def test_d14_threads_and_descriptors_come_back(viewer: Viewer) -> None:
    append(viewer.logs / "a.jsonl", 1)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(viewer.stream()).live()
    before = viewer.count()
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(viewer.stream()) for _ in range(50)]
        for stream in streams:
            stream.live()
    deadline = time.monotonic() + 2 * HEARTBEAT + 5
    while any(now > then + 5 for now, then in zip(viewer.count(), before, strict=True)):
        assert time.monotonic() < deadline, (before, viewer.count())
        viewer.get("/files")


def test_d17_a_stream_is_resumed_across_a_restart(start: Any, logs: Path) -> None:
    arguments = ("log_viewer.py", "--port", 0, "--logs", logs)
    first = Viewer(start(*arguments), logs)
    path = logs / "a.jsonl"
    append(path, *range(10))
    with first.stream() as stream:
        stream.records(10)
        token = [event.id for event in stream.events if event.event == "message"][4] or ""
    append(path, *range(10, 60))
    with first.stream(**{"Last-Event-ID": token}) as stream:
        stream.records(55)
        assert stream.numbers == list(range(5, 60))
    first.running.stop()
    path.rename(logs / "a.jsonl.1")
    append(path, *range(60, 110))
    second = Viewer(start(*arguments), logs)
    with second.stream(**{"Last-Event-ID": token}) as stream:
        stream.live()
        assert stream.numbers == list(range(5, 110))
        assert stream.notices == ["live"]
    with second.stream(f"?after={token}&history=3") as stream:
        assert len(stream.live().numbers) == 105


@pytest.mark.parametrize("is_absent", [True, False])
def test_d26_a_file_made_later_appears_by_itself(start: Any, logs: Path, is_absent: bool) -> None:
    if is_absent:
        logs.rmdir()
    viewer = Viewer(start("log_viewer.py", "--port", 0, "--logs", logs), logs)
    with viewer.stream() as stream:
        stream.live()
        logs.mkdir(exist_ok=True)
        append(logs / "chat.jsonl", 1)
        stream.until(lambda stream: stream.envelopes, seconds=2)
        assert stream.envelopes[0]["file"] == "chat.jsonl"


def test_a_stream_can_be_narrowed(viewer: Viewer) -> None:
    append(viewer.logs / "a.jsonl", 1, 2)
    append(viewer.logs / "b.jsonl", 3, 4)
    with viewer.stream("?files=a.jsonl&filter=n%3E1") as stream:
        stream.live()
        append(viewer.logs / "b.jsonl", 5)
        append(viewer.logs / "a.jsonl", 0, 6)
        stream.records(2)
        assert stream.numbers == [2, 6]


# ---- Single questions, through the gate but without a socket -----------------------------------------------


@pytest.fixture
def hub(logs: Path) -> Iterator[Hub]:
    hub = Hub(Folder(logs), poll=0.05)
    yield hub
    hub.close()


Ask = Callable[..., tuple[int, dict[str, str], bytes]]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A project folder of its own, with the real page."""
    site = tmp_path / "site"
    site.mkdir()
    shutil.copytree(ROOT / "web", site / "web")
    (site / "docs").mkdir()
    (site / "docs" / "view.png").write_bytes(b"\x89PNG")
    (site / "docs" / "notes.html").write_text("<p>not for show</p>")
    (site / "README.md").write_text("# Read me\n\n<script>x</script>\n", encoding="utf-8")
    return site


@pytest.fixture
def gated(hub: Hub, site: Path) -> Ask:
    """Asks the application behind its gate."""
    hub.start()
    way = Relay("http://127.0.0.1:1/mcp", lambda: Logbook(hub.folder.path, "mcp-viewer"))
    app = log_viewer.create_app(hub, way, root=site, heartbeat=0.05)
    gate = Gate(app, port=5050, routes=log_viewer.ROUTES, headers=log_viewer.HEADERS)
    from werkzeug.test import Client

    client = Client(gate)

    def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        answer = client.open(
            path,
            base_url="http://127.0.0.1:5050/",
            method=method,
            headers=[(k.replace("_", "-"), v) for k, v in headers.items()],
        )
        is_stream = path.startswith("/stream") and answer.status_code == 200
        body = next(iter(answer.iter_encoded())) if is_stream else answer.data
        answer.close()
        return answer.status_code, {k.lower(): v for k, v in answer.headers.items()}, body

    return ask


def test_files_are_listed_with_size_and_time(gated: Ask, logs: Path) -> None:
    append(logs / "b.jsonl", 1)
    append(logs / "a.jsonl", "")
    (logs / "other.txt").write_text("x")
    files = json.loads(gated("/files")[2])["files"]
    assert [(file["name"], file["bytes"]) for file in files] == [("a.jsonl", 0), ("b.jsonl", len(record(1)))]
    assert re.fullmatch(r"20\d\d-.*\+00:00", files[0]["modified"])


def test_history_is_given_page_by_page(logs: Path, hub: Hub, gated: Ask) -> None:
    append(logs / "a.jsonl", *range(10))
    number, *_ = hub.join()
    deadline = time.monotonic() + 5
    while hub.join()[1].get("a.jsonl") is None or hub.join()[1]["a.jsonl"].at < 10 * len(record(1)):
        assert time.monotonic() < deadline
        hub.since(number, 0.05)
    first = json.loads(gated("/history?limit=4")[2])
    assert [event["record"]["n"] for event in first["events"]] == [6, 7, 8, 9]
    second = json.loads(gated(f"/history?limit=4&before={first['before']}")[2])
    assert [event["record"]["n"] for event in second["events"]] == [2, 3, 4, 5]
    chosen = json.loads(gated("/history?filter=n%3C3&files=a.jsonl,absent.jsonl")[2])
    assert [event["record"]["n"] for event in chosen["events"]] == [0, 1, 2]
    elsewhere = json.loads(gated("/history?before=gone.jsonl:1:1:1&limit=1")[2])
    assert [event["record"]["n"] for event in elsewhere["events"]] == [9]


def test_a_filter_becomes_a_tree_or_a_sentence(gated: Ask) -> None:
    assert json.loads(gated("/filter?q=level%3DERROR")[2]) == {"tree": ["=", "level", "ERROR"]}
    status, _, body = gated("/filter?q=level%3D")
    assert status == 400
    assert json.loads(body)["at"] == 6
    assert gated("/filter")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/stream?filter=a%3D", "/stream?history=x", "/stream?history=-1", "/stream?history=10001", "/history?limit=1e3",
     "/history?before=rubbish", "/history?filter=(", "/stream?history=9999999"],
)  # fmt: skip
def test_a_question_that_makes_no_sense_gets_one_sentence(gated: Ask, path: str) -> None:
    status, headers, body = gated(path)
    assert status == 400
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["error"]


def test_explanations_are_given(gated: Ask) -> None:
    assert "tools/call" in json.loads(gated("/explanations")[2])["method"]


@pytest.mark.parametrize("path", ["/", "/dashboard", "/web/app.js", "/web/theme.css", "/web/icon.svg", "/readme.css"])
def test_pages_have_the_right_type(gated: Ask, path: str) -> None:
    status, headers, body = gated(path)
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    assert status == 200
    assert body
    assert headers["content-type"].startswith(kinds.get(Path(path).suffix, "text/html"))


@pytest.mark.parametrize(
    "path", ["/web/absent.js", "/web/", "/web/../README.md", "/web/%2e%2e/README.md", "/nothing", "/web/x.exe",
             "/docs/notes.html", "/docs/../README.md", "/raw/pyproject.toml", "/logs/a.jsonl"]
)  # fmt: skip
def test_what_is_not_there_is_told_as_json(gated: Ask, path: str) -> None:
    status, headers, body = gated(path)
    assert status == 404
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["error"]


def test_the_readme_is_rendered_or_shown_raw(gated: Ask, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, headers, body = gated("/readme")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'<h1 id="read-me">' in body
    assert b"<script>x" not in body
    assert gated("/raw/README.md")[2] == (site / "README.md").read_bytes()
    assert gated("/docs/view.png")[1]["content-type"] == "image/png"

    def fail(text: str) -> str:
        raise RuntimeError

    monkeypatch.setattr(book, "page", fail)
    status, headers, body = gated("/readme")
    assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert body == (site / "README.md").read_bytes()


def test_what_the_readme_leads_to_is_there(gated: Ask, site: Path) -> None:
    for name in ("README.md", *log_viewer.BOOKS):
        shutil.copyfile(ROOT / name, site / name)
    found = re.findall(r'(?:href|src)="([^":#]+)"', gated("/readme")[2].decode())
    pictures = [link for link in found if link.endswith(log_viewer.PICTURES)]
    for name in pictures:
        shutil.copyfile(ROOT / name, site / name) if name.startswith("docs/") else None
    for link in found:
        status, headers, _ = gated(f"/{link.removeprefix('/')}")
        assert status == 200, link
        assert link not in log_viewer.BOOKS or headers["content-type"].startswith("text/html"), link
    assert set(log_viewer.BOOKS) <= set(found)


def test_without_a_readme_there_is_a_sentence(gated: Ask, site: Path) -> None:
    (site / "README.md").unlink()
    for path in ("/readme", "/raw/README.md"):
        status, _, body = gated(path)
        assert status == 404
        assert json.loads(body) == {"error": "README.md is not there."}


def test_a_fault_of_ours_is_told_without_details(gated: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Folder) -> None:
        raise RuntimeError("a canary in the details")

    monkeypatch.setattr(Folder, "logs", fail)
    status, headers, body = gated("/files")
    assert (status, headers["content-type"]) == (500, "application/json")
    assert b"canary" not in body


@pytest.mark.parametrize("path", ["/", "/files", "/stream", "/nothing", "/web/app.js", "/history?before=x"])
def test_every_answer_has_the_security_headers(gated: Ask, path: str) -> None:
    _, headers, _ = gated(path)
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/stream", "/files", "/readme", "/raw/README.md", "/web/app.js"])
def test_strangers_are_refused(gated: Ask, path: str) -> None:
    assert gated(path, Host="rebind.evil.example:5050")[0] == 403
    assert gated(path, Origin="https://attacker.example")[0] == 403
    assert gated(path, Origin="http://127.0.0.1:5050")[0] == 200
    assert gated(path, method="POST")[0] in (405, 415)
    assert gated(path, method="OPTIONS")[0] == 405


# ---- Start and end -----------------------------------------------------------------------------------------


def test_a_taken_port_is_one_line_and_exit_code_1(start: Any, logs: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        running = start("log_viewer.py", "--port", port, "--logs", logs)
        assert running.wait() == 1
        running.reader.join(5)
        (line,) = running.lines
        assert str(port) in line
        assert "--port" in line


def test_ctrl_c_ends_it_at_once_although_streams_are_open(viewer: Viewer) -> None:
    with viewer.stream() as one, viewer.stream() as two:
        one.live()
        two.live()
        began = time.monotonic()
        viewer.running.interrupt()
        assert viewer.running.wait() == 0
        assert time.monotonic() - began < 3
    assert "Traceback" not in viewer.running.text


def test_listening_wider_is_warned_about(start: Any, logs: Path) -> None:
    running = start("log_viewer.py", "--port", 0, "--host", "0.0.0.0", "--logs", logs)
    assert "Warning" in running.wait_for("Warning")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--history", "many"], "number of records"),
        (["--history", "99999"], "10000"),
        (["--heartbeat", "0"], "number of seconds"),
        (["--heartbeat", "nan"], "number of seconds"),
    ],
)
def test_a_wrong_option_is_explained(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    with pytest.raises(SystemExit) as caught:
        log_viewer.main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--port", "x"], ["--allow-host", "a b", "--port", "0"], ["--host", "nowhere.invalid"]]
)
def test_a_setting_that_can_not_be_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str]
) -> None:
    assert log_viewer.main([*arguments, "--logs", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("log_viewer.py: ")
    assert error.count("\n") == 1


def test_the_browser_is_opened_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(serve.Server, "run", lambda server: server.close() or 0)
    assert log_viewer.main(["--open", "--port", "0", "--logs", str(tmp_path / "logs")]) == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/dashboard", opened[0])
