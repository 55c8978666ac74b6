"""Section A: who may reach the local servers, and with what: bind, Host, Origin, Content-Type, body limits."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases.oracles import Answer, Canary, Peer
from tests.impostors import Impostor, Seen, http
from tests.impostors import result as told

Start = Callable[..., Any]
LIMIT = 4 * 1024 * 1024  # bytes of a body, as the README says
SCRIPTS = pytest.mark.parametrize("script", ["server.py", "log_viewer.py"])
VIEWER_PATHS = ["/", "/dashboard", "/stream", "/files", "/history", "/readme", "/raw/README.md", "/explanations"]


@pytest.fixture(scope="module")
def viewer(start_module: Start, tmp_path_factory: pytest.TempPathFactory) -> Peer:
    folder = tmp_path_factory.mktemp("viewer")
    (folder / "logs").mkdir()
    (folder / "logs" / "mcp-server.jsonl").write_text('{"event":"private"}\n', encoding="utf-8")
    running = start_module("log_viewer.py", "--port", 0, "--logs", folder / "logs")
    return Peer(running, folder, Canary(folder / "outside"))


def write(peer: Peer, name: str, **headers: str) -> Answer:
    """A write_file call with these headers besides the Content-Type."""
    call = {"name": "write_file", "arguments": {"filename": name, "text": "x"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = peer.send("POST", "/rpc", body, {"Content-Type": "application/json"} | named)
    peer.answered["body"] += 1
    return answer


def is_refused(peer: Peer, answer: Answer, name: str, status: set[int]) -> bool:
    """Whether nothing was done, and the log says no more than that."""
    records = peer.check_log()
    no_file = not (peer.files / name).exists()
    return answer.status in status and no_file and not any(r["event"].startswith("tool_call") for r in records)


def listening(pid: int) -> set[str]:
    """The addresses of all listening TCP and bound UDP sockets of a process, as /proc spells them."""
    inodes = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed between the listing and this look: not what listens
            if found := re.match(r"socket:\[(\d+)\]", os.readlink(fd)):
                inodes.add(found[1])
    addresses = set()
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in Path(f"/proc/{pid}/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            columns = line.split()
            if columns[9] in inodes and columns[3] == state:
                addresses.add(columns[1].partition(":")[0])
    return addresses


def own_address() -> str:
    """An address of this machine that is not the loopback one: what a packet to elsewhere would come from."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.2"  # no network at all: at least not the address that is listened on
        return str(probe.getsockname()[0])


# ---- A01: where they listen ------------------------------------------------------------------------------------------


@SCRIPTS
def test_a01_by_default_only_this_machine_can_connect(start: Start, tmp_path: Path, script: str) -> None:
    running = start(script, "--port", 0, MCP_FILES=str(tmp_path / "f"), MCP_LOGS=str(tmp_path / "l"))
    port = int(running.url.rpartition(":")[2])
    assert listening(running.pid) <= {"0100007F", "00000000000000000000000001000000"}
    with pytest.raises(OSError, match="refused"), socket.create_connection((own_address(), port), timeout=5):
        pass
    assert "arning" not in running.text


@SCRIPTS
@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a01_listening_wider_needs_an_option_and_is_warned_about(
    start: Start, tmp_path: Path, script: str, host: str
) -> None:
    if host == "::" and not Path("/proc/net/if_inet6").exists():
        host = "0.0.0.0"
    running = start(script, "--port", 0, "--host", host, MCP_FILES=str(tmp_path / "f"), MCP_LOGS=str(tmp_path / "l"))
    assert "Warning" in running.wait_for("Warning")
    # Host and Origin are checked all the same.
    port = int(running.url.rpartition(":")[2])
    peer = Peer(running, tmp_path, Canary(tmp_path / "outside"))
    path = "/healthz" if script == "server.py" else "/files"
    with socket.create_connection(("::1" if host == "::" else "127.0.0.1", port), timeout=5) as sock:
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n".encode())
        assert b" 403 " in sock.recv(100)
    assert peer.port == port


# ---- A02: Host -------------------------------------------------------------------------------------------------------

FOREIGN_HOSTS = [
    "rebind.evil.example:{port}", "rebind.evil.example", "rebind.evil.example.:{port}", "REBIND.EVIL.EXAMPLE:{port}",
    "localhost.:{port}", "localhost.evil.example:{port}", "127.0.0.1.evil.example:{port}", "evil-localhost:{port}",
    "127.0.0.1:1", "127.0.0.1", "localhost:0{port}", "127.1:{port}", "2130706433:{port}", "0x7f.1:{port}",
    "0177.0.0.1:{port}", "0.0.0.0:{port}", "127.0.0.2:{port}", "[::]:{port}", "[::ffff:127.0.0.1]:{port}",
    "[::1%25eth0]:{port}", "[0:0:0:0:0:0:0:1]:{port}", "xn--lcalhost-01a:{port}", "*", "a_b.example:{port}", "null",
    "%6cocalhost:{port}", "localhost,evil.example", "localhost:",
]  # fmt: skip
NO_HOSTS = [
    "", ":{port}", "user@127.0.0.1:{port}", "127.0.0.1:{port}@evil.example", "127.0.0.1:{port}, evil.example",
    "http://127.0.0.1:{port}", "127.0.0.1:{port}/", "127.0.0.1:{port}:{port}", "127.0.0.1 evil.example", "[::1",
    "127.0.0.1:port", "l\u00f6calhost:{port}", "localhost:{port}#", "localhost\t:{port}",
]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a02_another_host_is_refused_and_nothing_runs(server: Peer, host: str) -> None:
    answer = write(server, "rebound.txt", Host=host.format(port=server.port))
    assert is_refused(server, answer, "rebound.txt", {403, 421})


@pytest.mark.parametrize("host", NO_HOSTS, ids=ascii)
def test_a02_what_is_no_host_is_refused_too(server: Peer, host: str) -> None:
    answer = write(server, "rebound.txt", Host=host.format(port=server.port))
    assert is_refused(server, answer, "rebound.txt", {400, 403, 421})


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LocalHost:{port}", "[::1]:{port}"])
def test_a02_our_own_names_work(server: Peer, viewer: Peer, host: str) -> None:
    assert write(server, "own.txt", Host=host.format(port=server.port)).status == 200
    assert viewer.send("GET", "/files", headers={"Host": host.format(port=viewer.port)}).status == 200


@pytest.mark.parametrize("path", VIEWER_PATHS)
@pytest.mark.parametrize(
    "host", ["rebind.evil.example:{port}", "127.0.0.1:1", "localhost.:{port}", "[::1%25lo]:{port}"]
)
def test_a02_the_viewer_shows_another_host_nothing(viewer: Peer, path: str, host: str) -> None:
    answer = viewer.send("GET", path, headers={"Host": host.format(port=viewer.port)})
    assert answer.status in (403, 421)
    assert b"private" not in answer.body


REQUEST_LINES = {
    "absolute form": b"POST http://evil.example/rpc HTTP/1.1\r\nHost: HOST\r\n",
    "absolute form, both foreign": b"POST http://evil.example/rpc HTTP/1.1\r\nHost: evil.example\r\n",
    "absolute form with a user": b"POST http://HOST@evil.example/rpc HTTP/1.1\r\nHost: HOST\r\n",
    "absolute form of another port": b"POST http://127.0.0.1:1/rpc HTTP/1.1\r\nHost: HOST\r\n",
    "two hosts": b"POST /rpc HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n",
    "two hosts, ours last": b"POST /rpc HTTP/1.1\r\nHost: evil.example\r\nHost: HOST\r\n",
    "the same host twice": b"POST /rpc HTTP/1.1\r\nHost: HOST\r\nhost: HOST\r\n",
    "no host": b"POST /rpc HTTP/1.1\r\n",
    "no host in HTTP/1.0": b"POST /rpc HTTP/1.0\r\n",
    "only a forwarded host": b"POST /rpc HTTP/1.1\r\nX-Forwarded-Host: HOST\r\nHost: evil.example\r\n",
    "a host with a blank before the colon": b"POST /rpc HTTP/1.1\r\nHost : HOST\r\nHost: evil.example\r\n",
    "a folded host": b"POST /rpc HTTP/1.1\r\nHost: evil.example\r\n HOST\r\n",
    "an underscore for the hyphen": b"POST /rpc HTTP/1.1\r\nHost: evil.example\r\nHTTP_HOST: HOST\r\n",
    "authority form": b"CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n",
    "asterisk form": b"OPTIONS * HTTP/1.1\r\nHost: HOST\r\n",
    "no version": b"POST /rpc\r\nHost: HOST\r\n",
    "a version to come": b"POST /rpc HTTP/2.0\r\nHost: HOST\r\n",
}


@pytest.mark.parametrize("name", REQUEST_LINES)
def test_a02_no_form_of_a_request_gets_around_the_host(server: Peer, name: str) -> None:
    call = {"name": "write_file", "arguments": {"filename": "around.txt", "text": "x"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    end = b"Content-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    answer = server.raw(REQUEST_LINES[name].replace(b"HOST", server.host.encode()) + end + body)
    assert 400 <= answer.status < 500
    server.new_records()
    assert not (server.files / "around.txt").exists()


# ---- A03: Origin -----------------------------------------------------------------------------------------------------

FOREIGN_ORIGINS = [
    "https://attacker.example", "null", "", "http://localhost.evil.example", "http://127.0.0.1.evil.example",
    "http://evil.example:{port}", "http://localhost@evil.example", "http://evil.example#http://localhost",
    "file://", "file:///", "chrome-extension://abcdef", "http://127.0.0.2:{port}", "http://0.0.0.0:{port}",
    "http://localhost:{port}, https://attacker.example", "http://localhost:{port} https://attacker.example",
    "localhost:{port}", "//localhost:{port}", "http://localhost:{port}/", "http://[::ffff:7f00:1]:{port}",
    "HTTPS://ATTACKER.EXAMPLE", "http://localhost.:{port}", "http:localhost", "javascript://localhost", "*",
    "http://l\u00f6calhost:{port}", "http://localhost:99999999", "ws://localhost:{port}",
]  # fmt: skip


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS, ids=ascii)
def test_a03_a_page_of_another_origin_is_refused_and_nothing_runs(server: Peer, origin: str) -> None:
    answer = write(server, "crossed.txt", Origin=origin.format(port=server.port))
    assert is_refused(server, answer, "crossed.txt", {403})


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:5050",
        "http://localhost:{port}",
        "http://[::1]:5050",
        "HTTP://LOCALHOST",
        "https://localhost:8443",
    ],
)
def test_a03_no_origin_and_our_own_are_let_in(server: Peer, viewer: Peer, origin: str) -> None:
    assert write(server, "own.txt").status == 200
    assert write(server, "own.txt", Origin=origin.format(port=server.port)).status == 200
    assert viewer.send("GET", "/files", headers={"Origin": origin.format(port=viewer.port)}).status == 200


def test_a03_two_origins_are_none_of_ours(server: Peer) -> None:
    lines = f"POST /rpc HTTP/1.1\r\nHost: {server.host}\r\nOrigin: http://localhost\r\nOrigin: https://attacker.example"
    answer = server.raw(f"{lines}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    assert answer.status == 403
    server.new_records()


def test_a03_a_page_that_hides_its_origin_is_known_by_what_the_browser_adds(server: Peer, viewer: Peer) -> None:
    assert is_refused(server, write(server, "crossed.txt", Sec_Fetch_Site="cross-site"), "crossed.txt", {403})
    for path in VIEWER_PATHS:
        assert viewer.send("GET", path, headers={"Sec-Fetch-Site": "cross-site"}).status == 403


# ---- A04: Content-Type -----------------------------------------------------------------------------------------------

WRONG_TYPES = [
    "text/plain", "text/plain; application/json", "text/plain;charset=UTF-8,application/json", "", "application/jsonx",
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=application/json", "application/json-rpc",
    "application/json, text/plain", "text/plain, application/json", "application/problem+json", "text/json", "*/*",
    "application/*", "json", "application /json", "application/json;charset=utf-16",
    "application/json; charset=latin-1",
    "application/json; charset=utf-7", "application/json; charset=", "application\\json", "application/j\u00dfon",
    "application/json+x", '"application/json"', "application/json charset=utf-8", "application/jsonrequest",
]  # fmt: skip


@pytest.mark.parametrize("kind", WRONG_TYPES, ids=ascii)
def test_a04_what_a_form_could_send_is_refused_and_nothing_runs(server: Peer, kind: str) -> None:
    assert is_refused(server, write(server, "formed.txt", Content_Type=kind), "formed.txt", {415})


@pytest.mark.parametrize("path", ["/rpc", "/mcp"])
def test_a04_no_content_type_at_all_is_refused(server: Peer, path: str) -> None:
    answer = server.send("POST", path, b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert answer.status == 415
    server.new_records()


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "Application/Json;Charset=UTF-8",
     'application/json; charset="utf-8"', "application/json ;charset=Utf-8", " application/json ", "application/json;"],
)  # fmt: skip
def test_a04_json_in_any_letter_case_is_accepted(server: Peer, kind: str) -> None:
    assert write(server, "own.txt", Content_Type=kind).status == 200


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "identity, gzip", "x"])
def test_a04_a_coded_body_is_refused(server: Peer, coding: str) -> None:
    assert is_refused(server, write(server, "coded.txt", Content_Encoding=coding), "coded.txt", {415})


# ---- A07: no grants to other sites -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "HEAD", "POST", "PUT", "TRACE", "BREW"])
def test_a07_no_answer_grants_another_site_anything(server: Peer, viewer: Peer, method: str) -> None:
    # That no header Access-Control-… is there, the oracle sees to with each answer.
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    for origin in ("https://attacker.example", "null", "http://localhost:5050"):
        for path in [*VIEWER_PATHS, "/nothing", "/web/app.js"]:
            answer = viewer.send(method, path + "?history=0", headers={"Origin": origin,
            "Range": "bytes=0-1"} | asked) if (
                path != "/stream" or origin != "http://localhost:5050"
            ) else None  # fmt: skip
            assert answer is None or answer.status != 200 or (method in ("GET", "HEAD") and "local" in origin)
        for path in ("/rpc", "/mcp", "/events", "/healthz", "/nothing"):
            if path != "/events" or origin != "http://localhost:5050":
                answer = server.send(method, path, headers={"Origin": origin} | asked)
                assert answer.status >= 400 or (path == "/healthz" and "local" in origin)
    server.new_records()


# ---- A10: how much is read -------------------------------------------------------------------------------------------


def padded(size: int) -> dict[str, Any]:
    """A message that is this long as Python writes it."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"pad": ""}}
    message["params"]["pad"] = "x" * (size - len(json.dumps(message)))
    return message


@pytest.mark.parametrize("path", ["/rpc", "/mcp"])
def test_a10_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not(server: Peer, path: str) -> None:
    answer = server.post(path, padded(LIMIT))
    assert (answer.status, answer.json["id"]) == (200 if path == "/rpc" else 400, 1)
    assert server.post(path, padded(LIMIT + 1)).status == 413


def chunks(data: bytes, size: int) -> bytes:
    parts = [data[n : n + size] for n in range(0, len(data), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def test_a10_a_chunked_body_has_the_same_limit(server: Peer) -> None:
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    server.answered["body"] += 3
    assert server.send("POST", "/rpc", chunks(json.dumps(padded(LIMIT)).encode(), 65536), headers).status == 200
    assert server.send("POST", "/rpc", chunks(json.dumps(padded(LIMIT + 1)).encode(), 65536), headers).status == 413
    assert server.send("POST", "/rpc", chunks(json.dumps(padded(10_000)).encode(), 1), headers).status == 200


ENDLESS = {
    "a length of 100 MB": (b"Content-Length: 104857600\r\n\r\n", b"x"),
    "a length beyond all integers": (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", b"x"),
    "chunks without end": (b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    "chunks of one byte": (b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 2000),
    "a chunk of 100 MB": (b"Transfer-Encoding: chunked\r\n\r\n6400000\r\n", b"x"),
    "the announcement of a chunk of 100 MB": (b"Transfer-Encoding: chunked\r\n\r\n6400000\r\n", b""),
    "a chunk with an endless extension": (b"Transfer-Encoding: chunked\r\n\r\n1;a=", b"x"),
    "a chunk size of endless digits": (b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "trailers without end": (b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 100),
    "headers without end": (b"", b"X-Pad: " + b"x" * 1000 + b"\r\n"),
    "one header without end": (b"X-Pad: ", b"x"),
    "a length, and leave to go on asked for": (b"Content-Length: 104857600\r\nExpect: 100-continue\r\n\r\n", b""),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a10_what_has_no_end_is_refused_within_a_second(server: Peer, name: str) -> None:
    head, piece = ENDLESS[name]
    start = f"POST /rpc HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\n".encode()

    def go_on(sock: socket.socket) -> None:
        sent, data = 0, piece * max(1, 65536 // max(1, len(piece)))
        while piece and sent < 64 * 1024 * 1024:  # the server closes long before
            sent += sock.send(data)

    server.forget_memory_peak()
    before = server.memory()
    answer = server.raw(start + head, rest=go_on)
    assert answer.status in (413, 431, 400)
    assert answer.status == 413 or "100 MB" not in name
    # Sending itself takes its time; of a body that is announced, nothing need be sent.
    assert min(answer.seconds, answer.cpu) < (1 if "length" in name else 4)
    assert server.memory("VmHWM") - before <= 32 * 1024 * 1024
    server.new_records()


LYING = {
    "two lengths": b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
    "the same length twice": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a list of lengths": b"Content-Length: 2, 2\r\n\r\n{}",
    "a negative length": b"Content-Length: -2\r\n\r\n{}",
    "a length with a sign": b"Content-Length: +2\r\n\r\n{}",
    "a hexadecimal length": b"Content-Length: 0x2\r\n\r\n{}",
    "a length with an underscore": b"Content-Length: 1_0\r\n\r\n{}",
    "both ways": b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "an unknown coding": b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunked twice": b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "a coding with a vertical tab": b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a chunk size that is none": b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n",
    "a negative chunk": b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "a chunk longer than it says": b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
    "a NUL in a header": b"X: a\x00b\r\nContent-Length: 2\r\n\r\n{}",
    "a header without a name": b": x\r\nContent-Length: 2\r\n\r\n{}",
    "a header without a colon": b"nothing\r\nContent-Length: 2\r\n\r\n{}",
    "a bare CR in a header": b"X: a\rHost: evil.example\r\nContent-Length: 2\r\n\r\n{}",
}


@pytest.mark.parametrize("name", LYING)
def test_a10_a_request_that_lies_about_its_end_is_refused(server: Peer, name: str) -> None:
    start = f"POST /rpc HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\n".encode()
    answer = server.raw(start + LYING[name])
    assert 400 <= answer.status < 500
    assert answer.headers["content-type"] == "application/json"
    server.new_records()


@SCRIPTS
@pytest.mark.parametrize(
    "offer",
    [
        {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="},
        {"Upgrade": "WebSocket", "Connection": "keep-alive, upgrade"},
        {"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings", "HTTP2-Settings": "AAMAAABk"},
        {"Upgrade": "TLS/1.2", "Connection": "upgrade"},
        {"Expect": "100-continue"},
        {"Expect": "something-else"},
        {"TE": "trailers"},
    ],
    ids=lambda offer: ", ".join(offer.values())[:30],
)
def test_a10_an_offer_of_another_protocol_is_not_taken_up(
    server: Peer, viewer: Peer, script: str, offer: dict[str, str]
) -> None:
    peer, method, path = (server, "POST", "/rpc") if script == "server.py" else (viewer, "GET", "/files")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() if method == "POST" else b""
    answer = peer.send(method, path, body, {"Content-Type": "application/json", **offer})
    assert answer.status == 200
    assert "upgrade" not in answer.headers
    server.new_records()


# ---- A14: what a hostile server says ---------------------------------------------------------------------------------

HOSTILE = ["$(touch pwn)", "`touch pwn`", "file:///etc/hostname", "javascript:alert(1)", "\x1b[2J\x1b]0;title\x07",
    "%n%s",
           "../../etc/passwd", "\u202etxt.exe", "<script>alert(1)</script>", "; touch pwn #",
           "| touch pwn"]  # fmt: skip


@pytest.mark.parametrize("how", ["answers", "redirects", "demands a login"])
def test_a14_the_client_runs_and_fetches_nothing_that_a_server_says(start: Start, tmp_path: Path, how: str) -> None:
    with Impostor(lambda seen: http(body=b"{}")) as trap:
        texts = [*HOSTILE, trap.url]
        text = " ".join(texts)

        def answer(seen: Seen) -> bytes:
            if how == "redirects":
                return http("302 Found", Location=trap.url)
            if how == "demands a login":
                metadata = f'Bearer resource_metadata="{trap.url}", error="$(touch pwn)"'
                body = json.dumps({"error": text, "error_uri": trap.url}).encode()
                return http("401 Unauthorized", body, WWW_Authenticate=metadata)
            about = {"name": text, "version": text, "title": text, "websiteUrl": trap.url, "icons": [{"src": trap.url}]}
            result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": about, "instructions": text}
            message = seen.message
            if message.get("method") == "initialize":
                return told(seen, result)
            error = {"code": -32601, "message": text, "data": {"url": trap.url, "elicitations": [{"url": trap.url}]}}
            if "id" not in message:
                return http("202 Accepted")
            return http(body=json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())

        with Impostor(answer) as hostile:
            running = start("client.py", "--url", hostile.url, MCP_LOGS=str(tmp_path / "logs"))
            running.wait(30)
            running.reader.join(5)
        assert trap.seen == []
    assert not list(tmp_path.rglob("pwn"))
    assert "\x1b[2J" not in running.text
    assert "\x07" not in running.text
    assert "\u202e" not in running.text
    assert "Traceback" not in running.text


# ---- A15: the folder that is opened to the tools ---------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["/", "", " ", "//", "/.", "/../", "a-file", "a-file/below", "a" + "/.." * 40])
def test_a15_a_folder_that_can_not_be_meant_is_refused_at_start(start: Start, tmp_path: Path, folder: str) -> None:
    (tmp_path / "a-file").write_text("x", encoding="utf-8")
    running = start("server.py", "--port", 0, "--logs", tmp_path / "l", "--files", folder)
    assert running.wait() == 1
    running.reader.join(5)
    (line,) = running.lines
    assert len(line) < 300
    assert "Traceback" not in line


@pytest.mark.parametrize("name", ["new/deep/folder", "relative", "naïve €", "with space "])
def test_a15_a_folder_that_is_not_there_is_made_and_shown_resolved(start: Start, tmp_path: Path, name: str) -> None:
    running = start("server.py", "--port", 0, "--logs", tmp_path / "l", "--files", name)
    shown = running.wait_for("Files in")
    made = tmp_path / name.strip()
    assert str(made) in shown
    assert made.is_dir()


def test_a15_the_folder_is_resolved_once_at_the_start(start: Start, tmp_path: Path) -> None:
    real, other = tmp_path / "real", tmp_path / "other"
    real.mkdir()
    other.mkdir()
    (tmp_path / "link").symlink_to(real)
    peer = Peer(
        start("server.py", "--port", 0, "--logs", tmp_path / "logs", "--files", "link"),
        tmp_path,
        Canary(tmp_path / "c"),
    )
    assert str(real) in peer.running.wait_for("Files in")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(other)
    peer.value("write_file", filename="a.txt", text="x")
    assert (real / "a.txt").exists()
    assert list(other.iterdir()) == []
    peer.check()
