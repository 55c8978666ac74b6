"""Keys stay where they belong: thrown at every door, they turn up in no log, no output, no page and no export."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests
from playwright.sync_api import sync_playwright

from tests.cases.oracles import Peer
from tests.conftest import ROOT, clean_environment
from tests.hard.canaries import search, writings
from tests.hard.conftest import KEYS, SEED
from tests.hard.figures import note
from tests.hard.listening import Listener

Start = Callable[..., Any]


def throw(peer: Peer, key: str) -> int:
    """One key at every door of the server; how many requests that were."""
    url, headers = f"http://{peer.host}", {"Content-Type": "application/json"}
    plain = key.encode("ascii", "ignore").decode()
    coded = base64.b64encode(f"user:{key}".encode()).decode()
    call = {
        "jsonrpc": "2.0",
        "id": key,
        "method": "tools/call",
        "params": {"name": "read_file", "arguments": {"filename": key}},
    }
    bodies: list[Any] = [
        call,
        {"jsonrpc": "2.0", "id": 1, "method": key, "params": {key: key}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": key, "arguments": {"a": coded}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": key}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "write_file", "arguments": {"text": key}},
        },
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "resources/read",
            "params": {"uri": f"playground://files/{quote(key, safe='')}"},
        },
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "ping",
            "params": {"_meta": {"x": json.dumps({"inner": json.dumps(key)})}},
        },
    ]
    sent: list[bytes] = [json.dumps(body).encode() for body in bodies]
    sent += [json.dumps(body, ensure_ascii=False).encode() for body in bodies]
    sent += [
        key.encode(),
        b'{"key":"' + plain.encode(),
        b"\xff" + key.encode(),
        "".join(f"\\u{ord(c):04x}" for c in key).encode(),
    ]
    sent += [('{"jsonrpc":"2.0","id":1,"method":"' + "".join(f"\\u{ord(c):04X}" for c in key) + '"}').encode()]
    for body in sent:
        for path in ("/rpc", "/mcp"):
            requests.post(url + path, data=body, headers=headers, timeout=10)
    names = (
        "Authorization",
        "X-Api-Key",
        "Cookie",
        "Mcp-Session-Id",
        "Origin",
        "User-Agent",
        "Mcp-Name",
        "Last-Event-ID",
        "Accept",
    )
    for name in names:
        with_key = {name: f"Bearer {plain}", **headers}
        requests.post(f"{url}/mcp", json=call, headers=with_key, timeout=10)
        requests.post(f"{url}/rpc", json=call, headers={name: coded, **headers}, timeout=10)
    for path in (f"/{quote(key)}", f"/rpc?key={quote(key)}", f"/{plain}?{plain}", f"/mcp/{quote(key, safe='')}"):
        requests.post(url + path, json=call, headers=headers, timeout=10)
    return 2 * len(sent) + 2 * len(names) + 4


def keep_pages(chromium: str, viewer: str, folder: Path) -> None:
    """What the viewer shows, as files."""
    for path in ("/history?limit=10000", "/files", "/readme", "/explanations", f"/history?filter={quote(SEED[:4])}"):
        (folder / f"page{quote(path, safe='')}").write_bytes(requests.get(viewer + path, timeout=20).content)
    with Listener(viewer, "?history=5000") as listener:
        listener.until_live()
        (folder / "stream.json").write_text(json.dumps([event.data for event in listener.events]), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1600, "height": 4000})
        for name in ("dashboard", ""):
            page.goto(f"{viewer}/{name}")
            page.locator(".row:visible").first.wait_for()
            page.locator(".row:visible").first.click()
            (folder / f"{name or 'basic'}.html").write_text(page.content(), encoding="utf-8")
        browser.close()


def test_no_key_turns_up_anywhere(peer: Peer, launch: Start, chromium: str, tmp_path: Path) -> None:
    count = sum(throw(peer, key) for key in KEYS.values())
    viewer = launch("log_viewer.py", "--port", 0, "--logs", peer.logs)
    settings = clean_environment() | KEYS
    for arguments in (
        ["--url", f"http://{peer.host}/mcp"],
        ["--stdio", f"{sys.executable} {ROOT / 'server.py'} --stdio"],
    ):
        command = [sys.executable, str(ROOT / "client.py"), *arguments, "--logs", str(peer.logs), "--explain"]
        done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, timeout=60)
        (tmp_path / f"client{arguments[0]}.txt").write_bytes(done.stdout + done.stderr)
        assert b"Traceback" not in done.stderr
    raw = [
        sys.executable,
        str(ROOT / "client.py"),
        "--url",
        f"http://{peer.host}/rpc",
        "--logs",
        str(peer.logs),
        "--raw",
    ]
    for key in KEYS.values():
        done = subprocess.run(
            [*raw, json.dumps({"key": key})], cwd=tmp_path, env=settings, capture_output=True, timeout=60
        )
        assert b"Traceback" not in done.stderr
    keep_pages(chromium, viewer.url, tmp_path)
    peer.running.stop()
    viewer.stop()
    (tmp_path / "server.txt").write_text(peer.running.text, encoding="utf-8")
    (tmp_path / "viewer.txt").write_text(viewer.text, encoding="utf-8")
    hits, files, size = search(tmp_path, SEED)
    print(hits)
    assert b"***" in peer.log.read_bytes()  # it was there to be masked
    figure = f"{len(KEYS)} keys in {count} requests and 5 runs of the client: "
    figure += f"in {len(hits)} of {files} files ({size // 1024} kB)"
    note("secrets: thrown at every door", figure, "0 files", not hits)


def test_a_secret_is_found_however_it_is_written(tmp_path: Path) -> None:
    other = SEED[::-1][:-1] + "x"  # not the run's own, which may lie nowhere
    for number, text in enumerate(writings(other)):
        (tmp_path / str(number)).write_bytes(b"x" * 100 + text + b"y")
    assert len(search(tmp_path, other)[0]) == len(writings(other))
